// Decides whether memory, descriptors and processes have stopped growing.

import { median } from '../speed/figures.ts'

export interface Sample {
  readonly atMs: number
  readonly residentMegabytes: number
  readonly descriptors: number
  readonly processes: number
}

export type Measured = Exclude<keyof Sample, 'atMs'>

/** The growth that is allowed, because servers and sessions start and end while samples are taken. */
export const SLACK: Readonly<Record<Measured, number>> = { residentMegabytes: 10, descriptors: 8, processes: 2 }

export interface Trend {
  readonly what: Measured
  readonly begun: number
  readonly ended: number
  readonly isFlat: boolean
}

/** Compares the last fifth of the samples with the middle fifth; before that the program warms up. */
export function trendOf(what: Measured, samples: readonly Sample[]): Trend {
  const part = (from: number, to: number) =>
    median(samples.slice(Math.floor(samples.length * from), Math.floor(samples.length * to)).map((one) => one[what]))
  const [begun, ended] = [part(0.4, 0.6), part(0.8, 1)]
  return { what, begun, ended, isFlat: ended - begun <= SLACK[what] }
}
