// Commands that delete notes and restore them.

import { type Command, defineCommand, failure, success } from 'toolcrib'
import { z } from 'zod'
import { changes, destroys } from '../../../shared/effects.ts'
import { noNote, pathTaken } from '../failures.ts'
import { path } from '../fields.ts'
import { moveToTrash } from '../rewrite.ts'
import { summaryOf, type Vault } from '../vault.ts'
import { linksTo } from '../wiki-links.ts'

export function trashCommands(vault: Vault): Command[] {
  return [
    defineCommand({
      name: 'delete-note',
      description: 'Move a note to the trash, from where restore-note brings it back. Its reminders are removed.',
      category: 'trash',
      tags: ['write', 'file'],
      ...destroys('Move {path} to the trash?'),
      errors: ['NOTE_NOT_FOUND', 'NOTE_IN_TRASH'],
      examples: [{ input: { path: 'journal/2026-03-01.md' } }],
      input: z.object({ path }),
      handler({ path }) {
        const note = vault.notes.get(path)
        if (note === undefined) return noNote(vault, path)
        const remindersRemoved = moveToTrash(vault, note)
        const dangling = linksTo(vault, path)
        const warnings =
          dangling.length === 0
            ? []
            : [{ code: 'BROKEN_LINKS', message: `Other notes link to '${path}', which is now in the trash` }]
        return success({ deleted: path, remindersRemoved, brokenLinks: dangling }, { warnings })
      },
    }),
    defineCommand({
      name: 'restore-note',
      description: 'Bring a deleted note back from the trash to where it was.',
      category: 'trash',
      tags: ['write'],
      ...changes,
      errors: ['NOT_IN_TRASH', 'PATH_TAKEN'],
      examples: [{ input: { path: 'ideas/podcast.md' } }],
      input: z.object({ path }),
      handler({ path }) {
        const note = vault.trash.get(path)
        if (note === undefined) return notInTrash(vault, path)
        if (vault.notes.has(path)) return pathTaken(path, 'Call move-note to move that one away first.')
        vault.trash.delete(path)
        vault.notes.set(path, note)
        return success(summaryOf(note))
      },
    }),
    defineCommand({
      name: 'empty-trash',
      description: 'Delete everything in the trash for good.',
      category: 'trash',
      tags: ['write', 'admin'],
      ...destroys('Delete everything in the trash? This cannot be undone.'),
      examples: [{ input: {} }],
      input: z.object({}),
      handler() {
        const deleted = [...vault.trash.keys()]
        vault.trash.clear()
        return success({ deleted })
      },
    }),
  ]
}

function notInTrash({ trash }: Vault, path: string) {
  const paths = [...trash.keys()]
  return failure({
    code: 'NOT_IN_TRASH',
    message: `No note '${path}' is in the trash`,
    suggestion:
      paths.length === 0 ? 'The trash is empty; see list-notes.' : `restore-note can bring back: ${paths.join(', ')}.`,
  })
}
