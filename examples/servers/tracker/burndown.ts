// The burndown of a sprint: the remaining story points at the end of each day, as numbers and as an image.

import { addDays, daysBetween } from '../../shared/days.ts'
import { createPicture, type Rgb } from '../../shared/png.ts'
import type { Issue, Sprint } from './model.ts'

export interface BurndownDay {
  readonly date: string
  readonly ideal: number
  /** Absent for days in the future. */
  readonly left?: number
}

const PALETTE: readonly Rgb[] = [
  [255, 255, 255],
  [68, 68, 68],
  [31, 119, 180],
  [200, 200, 200],
]
const [AXIS, LEFT, IDEAL] = [1, 2, 3]
const [WIDTH, HEIGHT, MARGIN] = [320, 160, 12]

export function burndownOf(sprint: Sprint, issues: readonly Issue[], today: string): BurndownDay[] {
  const days = daysBetween(sprint.startsOn, sprint.endsOn)
  const pointsOf = (some: readonly Issue[]) => some.reduce((sum, { points }) => sum + (points ?? 0), 0)
  const total = pointsOf(issues)
  return Array.from({ length: days + 1 }, (_, index) => {
    const date = addDays(sprint.startsOn, index)
    const ideal = Math.round((total * (days - index) * 10) / Math.max(1, days)) / 10
    const open = issues.filter(({ closedAt }) => closedAt === null || closedAt.slice(0, 10) > date)
    return date > today ? { date, ideal } : { date, ideal, left: pointsOf(open) }
  })
}

/** Draws a bar for the remaining points of each day, in front of a grey step for the ideal line. */
export function drawBurndown(days: readonly BurndownDay[]): string {
  const picture = createPicture(WIDTH, HEIGHT, PALETTE)
  const most = Math.max(1, ...days.map(({ ideal, left = 0 }) => Math.max(ideal, left)))
  const floor = HEIGHT - MARGIN
  const step = (WIDTH - 2 * MARGIN) / days.length
  const tall = (points: number) => ((floor - MARGIN) * points) / most
  days.forEach(({ ideal, left = 0 }, index) => {
    const x = MARGIN + index * step
    picture.fill(x + 2, floor - tall(ideal), step - 2, tall(ideal), IDEAL)
    picture.fill(x + step / 4 + 1, floor - tall(left), step / 2, tall(left), LEFT)
  })
  picture.fill(MARGIN, floor, WIDTH - 2 * MARGIN, 1, AXIS)
  picture.fill(MARGIN, MARGIN, 1, floor - MARGIN, AXIS)
  return picture.toBase64()
}
