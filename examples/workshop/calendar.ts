// The calendar of the workshop: days, opening hours, and the number of parallel appointments.

import { startOf } from '../shared/days.ts'
import type { Appointment, WorkshopState } from './model.ts'

export { addDays, daysBetween } from '../shared/days.ts'

const OPENS_AT = 9 * 60
const CLOSES_AT = 17 * 60
const SLOT_MINUTES = 30

export function isOpenDay(date: string): boolean {
  return new Date(startOf(date)).getUTCDay() !== 0
}

export function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

/** The times at which an appointment of this length can start. `except` is the id of an appointment that moves. */
export function freeTimes(state: WorkshopState, date: string, minutes: number, except?: string): string[] {
  if (!isOpenDay(date)) return []
  const booked = [...state.appointments.values()].filter((one) => takesTime(one) && one.date === date)
  const others = booked.filter(({ id }) => id !== except)
  const capacity = [...state.staff.values()].filter(({ active, role }) => active && role === 'mechanic').length
  const times: string[] = []
  for (let start = OPENS_AT; start + minutes <= CLOSES_AT; start += SLOT_MINUTES) {
    // The number of parallel appointments is highest at the start of one of them, or at the start of the new one.
    const moments = [start, ...others.map(({ time }) => minutesOf(time))].filter(
      (m) => m >= start && m < start + minutes,
    )
    const busiest = Math.max(...moments.map((moment) => others.filter((one) => runsAt(one, moment)).length))
    if (busiest < capacity) times.push(timeText(start))
  }
  return times
}

function takesTime({ status }: Appointment): boolean {
  return status === 'booked' || status === 'checked-in'
}

function runsAt({ time, minutes }: Appointment, moment: number): boolean {
  return minutesOf(time) <= moment && moment < minutesOf(time) + minutes
}

function timeText(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}
