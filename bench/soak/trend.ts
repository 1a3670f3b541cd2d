// Decides whether memory, descriptors and processes have stopped growing.

import { median } from '../speed/figures.ts'

export interface ResourceSample {
  readonly atMs: number
  readonly residentMegabytes: number
  readonly descriptors: number
  readonly processes: number
}

export type ResourceName = Exclude<keyof ResourceSample, 'atMs'>

/** The growth that is allowed, because servers and sessions start and end while samples are taken. */
export const SLACK: Readonly<Record<ResourceName, number>> = { residentMegabytes: 10, descriptors: 8, processes: 2 }

export interface Trend {
  readonly what: ResourceName
  /** The median of the middle fifth of the samples. */
  readonly middle: number
  /** The median of the last fifth of the samples. */
  readonly last: number
  /** True also if the value falls. False without samples. */
  readonly hasStoppedGrowing: boolean
}

/** Compares the last fifth of the samples with the middle fifth. Before that the program warms up. */
export function trendOf(what: ResourceName, samples: readonly ResourceSample[]): Trend {
  const part = (from: number, to: number) =>
    median(samples.slice(Math.floor(samples.length * from), Math.floor(samples.length * to)).map((one) => one[what]))
  const [middle, last] = [part(0.4, 0.6), part(0.8, 1)]
  return { what, middle, last, hasStoppedGrowing: last - middle <= SLACK[what] }
}
