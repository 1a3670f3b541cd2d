// Commands for links between notes: backlinks and broken links.

import { type Command, defineCommand, findSimilarTools, success } from 'toolcrib'
import { z } from 'zod'
import { reads } from '../../../shared/effects.ts'
import { noNote } from '../failures.ts'
import { folder, path } from '../fields.ts'
import { isIn, type Vault } from '../vault.ts'
import { linksIn, linksTo } from '../wiki-links.ts'

export function linkCommands(vault: Vault): Command[] {
  return [
    defineCommand({
      name: 'list-backlinks',
      description: 'Show which notes link to a note, with the line of each link, and the links of the note itself.',
      category: 'link',
      tags: ['browse', 'graph'],
      ...reads,
      errors: ['NOTE_NOT_FOUND', 'NOTE_IN_TRASH'],
      examples: [{ input: { path: 'people/marta-lopes.md' } }],
      input: z.object({ path }),
      handler({ path }) {
        const note = vault.notes.get(path)
        if (note === undefined) return noNote(vault, path)
        return success({ path, backlinks: linksTo(vault, path), links: linksIn(note).map(({ target }) => target) })
      },
    }),
    defineCommand({
      name: 'find-broken-links',
      description: 'Find links to notes that do not exist, each with the path that was probably meant.',
      category: 'link',
      tags: ['browse', 'graph'],
      ...reads,
      executionTime: 'fast',
      examples: [{ input: {} }],
      input: z.object({ folder: folder.default('') }),
      handler({ folder }) {
        const broken = [...vault.notes.values()].flatMap((note) =>
          (isIn(folder, note.path) ? linksIn(note) : [])
            .filter(({ target }) => !vault.notes.has(target))
            .map(({ target, line }) => {
              const [probably = null] = findSimilarTools(target, vault.notes.keys(), 1)
              return { from: note.path, line, target, inTrash: vault.trash.has(target), probably }
            }),
        )
        return success({ broken })
      },
    }),
  ]
}
