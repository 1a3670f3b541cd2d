// Edits the text of a note, moves a note to the trash, and moves its reminders.

import type { Note, Vault } from './vault.ts'

export interface NoteEdit {
  readonly find: string
  readonly replace: string
  readonly all: boolean
}

export type EditOutcome =
  | { readonly ok: true; readonly body: string; readonly replaced: number }
  | { readonly ok: false; readonly edit: number; readonly matches: number }

/** Applies the edits in order. Each edit works on the result of the previous ones. */
export function replaceText(body: string, edits: readonly NoteEdit[]): EditOutcome {
  let text = body
  let replaced = 0
  for (const [edit, { find, replace, all }] of edits.entries()) {
    const pieces = text.split(find)
    const matches = pieces.length - 1
    if (matches === 0 || (matches > 1 && !all)) return { ok: false, edit, matches }
    text = pieces.join(replace)
    replaced += matches
  }
  return { ok: true, body: text, replaced }
}

/** Moves a note to the trash, removes its reminders, and returns their number. */
export function moveToTrash(vault: Vault, note: Note): number {
  vault.notes.delete(note.path)
  vault.trash.set(note.path, note)
  const reminders = [...vault.reminders.values()].filter(({ path }) => path === note.path)
  for (const { id } of reminders) vault.reminders.delete(id)
  return reminders.length
}

export function moveReminders({ reminders }: Vault, from: string, to: string): void {
  for (const reminder of reminders.values()) {
    if (reminder.path === from) reminders.set(reminder.id, { ...reminder, path: to })
  }
}
