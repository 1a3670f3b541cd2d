// The failures that commands on notes share, each with the call to make next.

import { type FailureResult, failure } from 'toolcrib'
import { notFoundFor } from '../../shared/not-found.ts'
import type { Vault } from './vault.ts'

const notFound = notFoundFor({
  note: 'Call search-notes with a word of it, or list-notes, to find its path.',
  folder: 'Call list-folders to see what there is.',
  tag: 'Call list-tags to see the tags in use.',
  reminder: 'Call list-reminders with status all to find its id.',
})

export const noFolder = (folder: string, known: Iterable<string>) => notFound('folder', folder, known)
export const noTag = (tag: string, known: Iterable<string>) => notFound('tag', tag, known)
export const noReminder = ({ reminders }: Vault, id: string) => notFound('reminder', id, reminders.keys())

export function noNote({ notes, trash }: Vault, path: string): FailureResult {
  if (!trash.has(path)) return notFound('note', path, notes.keys())
  return failure({
    code: 'NOTE_IN_TRASH',
    message: `The note '${path}' is in the trash`,
    suggestion: `Call restore-note with path '${path}' first.`,
  })
}

export function pathTaken(path: string, suggestion: string): FailureResult {
  return failure({ code: 'PATH_TAKEN', message: `There is already a note at '${path}'`, suggestion, details: { path } })
}
