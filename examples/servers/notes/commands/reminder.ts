// Commands for reminders on notes, single or repeating.

import { type Command, defineCommand, failure, success } from 'toolcrib'
import { z } from 'zod'
import { nextNumber, now } from '../../../shared/counters.ts'
import { changes, destroys, reads } from '../../../shared/effects.ts'
import { dateTime } from '../../../shared/fields.ts'
import { noNote, noReminder } from '../failures.ts'
import { path } from '../fields.ts'
import { nextDue } from '../next-due.ts'
import { type Reminder, repeats, type Vault } from '../vault.ts'

const reminderId = z.string().describe('Reminder id, such as rem-1')

export function reminderCommands(vault: Vault): Command[] {
  const save = (reminder: Reminder) => {
    vault.reminders.set(reminder.id, reminder)
    return reminder
  }
  return [
    defineCommand({
      name: 'set-reminder',
      description: 'Set a reminder on a note for a date and time, once or repeating.',
      category: 'reminder',
      tags: ['write', 'planning'],
      ...changes,
      errors: ['NOTE_NOT_FOUND', 'NOTE_IN_TRASH', 'TIME_IS_PAST'],
      examples: [{ input: { path: 'projects/kitchen.md', text: 'Choose tiles', dueAt: '2026-03-06T16:00:00Z' } }],
      input: z.object({
        path,
        text: z.string().min(1).max(200).describe('What to be reminded of'),
        dueAt: dateTime.describe('When, in UTC, such as 2026-03-06T16:00:00Z'),
        repeat: z.enum(repeats).default('none').describe('How often it comes back'),
      }),
      handler({ path, text, dueAt, repeat }) {
        if (!vault.notes.has(path)) return noNote(vault, path)
        const current = now(vault.counters)
        if (dueAt <= current) {
          return failure({
            code: 'TIME_IS_PAST',
            message: `${dueAt} is past; it is ${current}`,
            suggestion: `Give a dueAt after ${current}.`,
          })
        }
        const id = `rem-${nextNumber(vault.counters, 'reminder')}`
        return success(save({ id, path, text, dueAt, repeat, isDone: false }))
      },
    }),
    defineCommand({
      name: 'list-reminders',
      description: 'List reminders that are due, still to come, or done; the earliest first.',
      category: 'reminder',
      tags: ['browse', 'planning'],
      ...reads,
      examples: [{ input: { status: 'due' } }],
      input: z.object({
        status: z.enum(['due', 'upcoming', 'done', 'all']).default('all').describe('Which of them'),
        before: dateTime.optional().describe('Only those due before this time'),
      }),
      handler({ status, before }) {
        const current = now(vault.counters)
        const statusOf = ({ isDone, dueAt }: Reminder) => {
          if (isDone) return 'done'
          return dueAt <= current ? 'due' : 'upcoming'
        }
        const items = [...vault.reminders.values()]
          .map((reminder) => ({ ...reminder, status: statusOf(reminder) }))
          .filter((one) => (status === 'all' || one.status === status) && (before === undefined || one.dueAt < before))
          .sort((a, b) => a.dueAt.localeCompare(b.dueAt))
        return success({ now: current, items })
      },
    }),
    defineCommand({
      name: 'complete-reminder',
      description: 'Mark a reminder as done. A repeating one moves on to its next time instead.',
      category: 'reminder',
      tags: ['write', 'planning'],
      ...changes,
      errors: ['REMINDER_NOT_FOUND'],
      examples: [{ input: { reminderId: 'rem-1' } }, { title: 'A repeating one', input: { reminderId: 'rem-3' } }],
      input: z.object({ reminderId }),
      handler({ reminderId }) {
        const reminder = vault.reminders.get(reminderId)
        if (reminder === undefined) return noReminder(vault, reminderId)
        const { dueAt, repeat } = reminder
        return success(
          save(repeat === 'none' ? { ...reminder, isDone: true } : { ...reminder, dueAt: nextDue(dueAt, repeat) }),
        )
      },
    }),
    defineCommand({
      name: 'cancel-reminder',
      description: 'Remove a reminder, with all its repetitions.',
      category: 'reminder',
      tags: ['write', 'planning'],
      ...destroys('Remove the reminder {reminderId}?'),
      errors: ['REMINDER_NOT_FOUND'],
      examples: [{ input: { reminderId: 'rem-2' } }],
      input: z.object({ reminderId }),
      handler({ reminderId }) {
        if (!vault.reminders.delete(reminderId)) return noReminder(vault, reminderId)
        return success({ cancelled: reminderId })
      },
    }),
  ]
}
