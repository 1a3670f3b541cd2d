// Computes the next date of a repeating reminder.

import type { Reminder } from './vault.ts'

export function nextDue(dueAt: string, repeat: Exclude<Reminder['repeat'], 'none'>): string {
  const due = new Date(dueAt)
  const day = due.getUTCDate()
  if (repeat === 'daily') due.setUTCDate(day + 1)
  else if (repeat === 'weekly') due.setUTCDate(day + 7)
  else {
    due.setUTCMonth(due.getUTCMonth() + 1)
    // JavaScript turns the 31st of a short month into a day of the next month, so the last day of the month is used.
    if (due.getUTCDate() !== day) due.setUTCDate(0)
  }
  return due.toISOString().replace('.000Z', 'Z')
}
