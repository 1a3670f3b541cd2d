// Floors: the minimum values of a benchmark. They are printed like limits, and fail the run in the same way.

export interface Floor {
  readonly what: string
  readonly value: number
  readonly min: number
}

export function checkFloors(floors: readonly Floor[]): void {
  for (const { what, value, min } of floors) {
    console.log(`${value >= min ? 'holds ' : 'BROKEN'}  ${what}: ${Number(value.toFixed(2))} (at least ${min})`)
    if (value < min) process.exitCode = 1
  }
}
