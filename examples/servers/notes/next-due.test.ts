// Checks the next date of repeating reminders.

import { expect, it } from 'vitest'
import { nextDue } from './next-due.ts'

it.each([
  ['daily', '2026-02-28T20:00:00Z', '2026-03-01T20:00:00Z'],
  ['weekly', '2026-12-28T07:30:00Z', '2027-01-04T07:30:00Z'],
  ['monthly', '2026-03-05T07:00:00Z', '2026-04-05T07:00:00Z'],
  ['monthly', '2026-01-31T09:00:00Z', '2026-02-28T09:00:00Z'],
  ['monthly', '2026-12-31T09:00:00Z', '2027-01-31T09:00:00Z'],
] as const)('a %s reminder of %s is due next at %s', (repeat, dueAt, next) => {
  expect(nextDue(dueAt, repeat)).toBe(next)
})
