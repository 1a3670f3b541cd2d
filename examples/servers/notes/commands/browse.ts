// Commands that find and read notes.

import { type Command, defineCommand, success } from 'toolcrib'
import { z } from 'zod'
import { reads } from '../../../shared/effects.ts'
import { pageOf, paging } from '../../../shared/fields.ts'
import { noNote } from '../failures.ts'
import { folder, path } from '../fields.ts'
import { matchWords, searchedFields } from '../match-words.ts'
import { isIn, summaryOf, titleOf, type Vault } from '../vault.ts'

export function browseCommands(vault: Vault): Command[] {
  return [
    defineCommand({
      name: 'list-notes',
      description: 'List notes with their title and tags, by path or with the last changed first.',
      category: 'note',
      tags: ['browse'],
      ...reads,
      examples: [{ title: 'What I last worked on', input: { sortBy: 'updated', limit: 5 } }],
      input: z.object({
        folder: folder.default(''),
        tag: z.string().optional().describe('Only notes with this tag'),
        sortBy: z.enum(['path', 'updated']).default('path').describe('Order of the list'),
        ...paging,
      }),
      handler({ folder, tag, sortBy, ...page }) {
        const wanted = [...vault.notes.values()].filter(
          ({ path, tags }) => isIn(folder, path) && (tag === undefined || tags.includes(tag)),
        )
        wanted.sort((a, b) =>
          sortBy === 'path' ? a.path.localeCompare(b.path) : b.updatedAt.localeCompare(a.updatedAt),
        )
        return success(pageOf(wanted.map(summaryOf), page))
      },
    }),
    defineCommand({
      name: 'read-note',
      description:
        'Read a note: the text of a Markdown file such as README.md. Long ones can be read in parts, by line.',
      category: 'note',
      tags: ['browse', 'file'],
      ...reads,
      errors: ['NOTE_NOT_FOUND', 'NOTE_IN_TRASH'],
      examples: [{ input: { path: 'README.md' } }],
      input: z.object({
        path,
        fromLine: z.number().int().min(1).default(1).describe('First line to read'),
        maxLines: z.number().int().min(1).max(2_000).default(500).describe('At most this many lines'),
      }),
      handler({ path, fromLine, maxLines }) {
        const note = vault.notes.get(path)
        if (note === undefined) return noNote(vault, path)
        const lines = note.body.split('\n')
        const text = lines.slice(fromLine - 1, fromLine - 1 + maxLines).join('\n')
        const { tags, createdAt, updatedAt } = note
        const hasMore = fromLine - 1 + maxLines < lines.length
        return success({ path, title: titleOf(note), tags, text, lines: lines.length, hasMore, createdAt, updatedAt })
      },
    }),
    defineCommand({
      name: 'search-notes',
      description: 'Search the text, titles and tags of all notes. Every word must occur; the best match comes first.',
      category: 'note',
      tags: ['browse'],
      ...reads,
      examples: [{ input: { query: 'kitchen tiles' } }],
      input: z.object({
        query: z.string().min(2).describe('Words to find, in any order'),
        in: z
          .array(z.enum(searchedFields))
          .min(1)
          .default([...searchedFields])
          .describe('Where to look'),
        folder: folder.default(''),
        limit: paging.limit,
      }),
      handler({ query, in: fields, folder, limit }) {
        const hits = [...vault.notes.values()].flatMap((note) => {
          const match = isIn(folder, note.path) ? matchWords(note, query, fields) : undefined
          return match === undefined ? [] : [{ ...summaryOf(note), ...match }]
        })
        hits.sort((a, b) => b.score - a.score || a.path.localeCompare(b.path))
        return success(pageOf(hits, { limit, offset: 0 }))
      },
    }),
  ]
}
