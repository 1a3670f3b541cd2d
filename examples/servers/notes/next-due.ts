// When a repeating reminder comes back.

import type { Reminder } from './vault.ts'

export function nextDue(dueAt: string, repeat: Exclude<Reminder['repeat'], 'none'>): string {
  const due = new Date(dueAt)
  const day = due.getUTCDate()
  if (repeat === 'daily') due.setUTCDate(day + 1)
  else if (repeat === 'weekly') due.setUTCDate(day + 7)
  else {
    due.setUTCMonth(due.getUTCMonth() + 1)
    // The 31st of a short month is a day of the month after it; its last day is what was meant.
    if (due.getUTCDate() !== day) due.setUTCDate(0)
  }
  return due.toISOString().replace('.000Z', 'Z')
}
