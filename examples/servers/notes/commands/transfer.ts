// Commands that import many notes, or export them as files.

import { setImmediate } from 'node:timers/promises'
import { type Command, defineCommand, success } from 'toolcrib'
import { z } from 'zod'
import { nextTime } from '../../../shared/counters.ts'
import { changes, reads } from '../../../shared/effects.ts'
import { noFolder } from '../failures.ts'
import { body, folder, newPath, tag } from '../fields.ts'
import { foldersOf, isIn, type Note, titleOf, type Vault } from '../vault.ts'

export function transferCommands(vault: Vault): Command[] {
  return [
    defineCommand({
      name: 'import-notes',
      description:
        'Import many notes at once, such as an export of another app. Reports progress and can be cancelled.',
      category: 'transfer',
      tags: ['write', 'bulk'],
      ...changes,
      executionTime: 'slow',
      examples: [{ input: { notes: [{ path: 'recipes/dal.md', body: '# Dal', tags: ['recipe'] }] } }],
      input: z.object({
        notes: z
          .array(z.object({ path: newPath, body, tags: z.array(tag).default([]) }))
          .min(1)
          .max(500),
        onConflict: z.enum(['skip', 'rename']).default('skip').describe('What to do where there is a note already'),
      }),
      async handler({ notes, onConflict }, { signal, progress }) {
        const imported: string[] = []
        const skipped: string[] = []
        for (const [index, note] of notes.entries()) {
          const isTaken = vault.notes.has(note.path)
          if (isTaken && onConflict === 'skip') skipped.push(note.path)
          else {
            const path = isTaken ? freePath(vault, note.path) : note.path
            const at = nextTime(vault.counters)
            vault.notes.set(path, { ...note, path, createdAt: at, updatedAt: at })
            imported.push(path)
          }
          progress(index + 1, notes.length, note.path)
          // A cancellation can arrive between two notes. It ends the import here.
          await setImmediate(undefined, { signal })
        }
        return success({ imported, skipped })
      },
    }),
    defineCommand({
      name: 'export-notes',
      description: 'Export a folder of notes as one Markdown or JSON file, which comes beside the result.',
      category: 'transfer',
      tags: ['bulk', 'file'],
      ...reads,
      executionTime: 'fast',
      errors: ['FOLDER_NOT_FOUND'],
      examples: [{ input: { folder: 'people', format: 'markdown' } }],
      input: z.object({
        folder: folder.default(''),
        format: z.enum(['markdown', 'json']).default('markdown').describe('Format of the file'),
      }),
      handler({ folder, format }) {
        const wanted = [...vault.notes.values()].filter(({ path }) => isIn(folder, path))
        const known = foldersOf(vault)
        if (folder !== '' && !known.includes(folder)) return noFolder(folder, known)
        const isJson = format === 'json'
        const uri = `notes://exports/${folder === '' ? 'vault' : folder}.${isJson ? 'json' : 'md'}`
        const text = isJson ? JSON.stringify(wanted, null, 2) : wanted.map(asSection).join('\n\n---\n\n')
        const mimeType = isJson ? 'application/json' : 'text/markdown'
        return success(
          { uri, notes: wanted.length, characters: text.length },
          { content: [{ type: 'resource', resource: { uri, mimeType, text } }] },
        )
      },
    }),
  ]
}

function asSection(note: Note): string {
  return `<!-- ${note.path}: ${titleOf(note)} -->\n${note.body}`
}

function freePath({ notes }: Vault, path: string): string {
  for (let number = 2; ; number++) {
    const candidate = path.replace(/\.md$/, `-${number}.md`)
    if (!notes.has(candidate)) return candidate
  }
}
