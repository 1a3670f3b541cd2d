// Commands that create, extend, edit and move notes.

import { type Command, defineCommand, failure, success } from 'toolcrib'
import { z } from 'zod'
import { nextTime } from '../../../shared/counters.ts'
import { changes } from '../../../shared/effects.ts'
import { noNote, pathTaken } from '../failures.ts'
import { body, newPath, path, tag } from '../fields.ts'
import { moveReminders, replaceText } from '../rewrite.ts'
import { type Note, summaryOf, type Vault } from '../vault.ts'
import { retarget } from '../wiki-links.ts'

export function writeCommands(vault: Vault): Command[] {
  const save = (note: Note): Note => {
    vault.notes.set(note.path, note)
    return note
  }
  const withBody = (note: Note, body: string) => save({ ...note, body, updatedAt: nextTime(vault.counters) })

  return [
    defineCommand({
      name: 'create-note',
      description: 'Write a new note. Missing folders of its path are made; an existing note is never overwritten.',
      category: 'note',
      tags: ['write', 'file'],
      ...changes,
      errors: ['PATH_TAKEN'],
      examples: [{ input: { path: 'ideas/boat.md', body: '# A boat\nSmall, wooden.', tags: ['idea'] } }],
      input: z.object({ path: newPath, body, tags: z.array(tag).max(20).default([]).describe('Tags, without #') }),
      handler({ path, body, tags }) {
        if (vault.notes.has(path)) {
          return pathTaken(path, 'Call append-to-note or edit-note to change it, or choose another path.')
        }
        const at = nextTime(vault.counters)
        return success(summaryOf(save({ path, body, tags: [...new Set(tags)], createdAt: at, updatedAt: at })))
      },
    }),
    defineCommand({
      name: 'append-to-note',
      description: 'Add text at the end of a note, or at the end of the section under one of its headings.',
      category: 'note',
      tags: ['write'],
      ...changes,
      errors: ['NOTE_NOT_FOUND', 'NOTE_IN_TRASH', 'HEADING_NOT_FOUND'],
      examples: [{ input: { path: 'projects/kitchen.md', text: '- [ ] Call the plumber', underHeading: 'Open' } }],
      input: z.object({
        path,
        text: z.string().min(1).max(50_000).describe('Markdown to add'),
        underHeading: z.string().optional().describe('Text of a heading, without #'),
      }),
      handler({ path, text, underHeading }) {
        const note = vault.notes.get(path)
        if (note === undefined) return noNote(vault, path)
        const lines = note.body.split('\n')
        const end = underHeading === undefined ? lines.length : endOfSection(lines, underHeading)
        if (end === undefined) return noHeading(note, underHeading ?? '')
        return success(summaryOf(withBody(note, lines.toSpliced(end, 0, text).join('\n'))))
      },
    }),
    defineCommand({
      name: 'edit-note',
      description:
        'Replace pieces of text in a note. All edits are made or none; each must match exactly once, unless its field all is true.',
      category: 'note',
      tags: ['write', 'file'],
      ...changes,
      errors: ['NOTE_NOT_FOUND', 'NOTE_IN_TRASH', 'EDIT_DOES_NOT_MATCH'],
      requires: ['read-note'],
      examples: [
        {
          input: {
            path: 'projects/kitchen.md',
            edits: [{ find: '- [ ] Choose tiles', replace: '- [x] Choose tiles' }],
          },
        },
      ],
      input: z.object({
        path,
        edits: z
          .array(
            z.object({
              find: z.string().min(1).describe('Text as it stands in the note'),
              replace: z.string().describe('Text to put in its place'),
              all: z.boolean().default(false).describe('Replace every occurrence'),
            }),
          )
          .min(1)
          .max(50),
      }),
      handler({ path, edits }) {
        const note = vault.notes.get(path)
        if (note === undefined) return noNote(vault, path)
        const outcome = replaceText(note.body, edits)
        if (!outcome.ok) {
          return failure({
            code: 'EDIT_DOES_NOT_MATCH',
            message: `Edit ${outcome.edit + 1} matches ${outcome.matches} places in '${path}', so nothing was changed`,
            suggestion:
              outcome.matches === 0
                ? `Call read-note with path '${path}' and copy the text exactly.`
                : 'Give more of the text around it, or set all to true.',
          })
        }
        return success({ ...summaryOf(withBody(note, outcome.body)), replaced: outcome.replaced })
      },
    }),
    defineCommand({
      name: 'move-note',
      description: 'Move or rename a note. Links to it in other notes are rewritten, and its reminders go with it.',
      category: 'note',
      tags: ['write', 'file'],
      ...changes,
      errors: ['NOTE_NOT_FOUND', 'NOTE_IN_TRASH', 'PATH_TAKEN'],
      examples: [{ input: { path: 'ideas/shearing-layers.md', to: 'archive/shearing-layers.md' } }],
      input: z.object({ path, to: newPath, updateLinks: z.boolean().default(true).describe('Rewrite links to it') }),
      handler({ path, to, updateLinks }) {
        const note = vault.notes.get(path)
        if (note === undefined) return noNote(vault, path)
        if (vault.notes.has(to)) return pathTaken(to, 'Choose another path, or delete-note the one that is there.')
        const moved = { ...note, path: to, updatedAt: nextTime(vault.counters) }
        vault.notes.delete(path)
        save(moved)
        moveReminders(vault, path, to)
        const rewritten = updateLinks
          ? [...vault.notes.values()].filter((one) => retarget(one.body, path, to) !== one.body)
          : []
        for (const one of rewritten) save({ ...one, body: retarget(one.body, path, to) })
        return success({ ...summaryOf(moved), rewritten: rewritten.map((one) => one.path) })
      },
    }),
  ]
}

/** The index after the last line of the section that is not blank. Undefined if no heading has this text. */
function endOfSection(lines: readonly string[], heading: string): number | undefined {
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ +/, '').trim() === heading)
  if (start < 0) return undefined
  const length = lines.slice(start + 1).findIndex((line) => /^#+ /.test(line))
  let end = length < 0 ? lines.length : start + 1 + length
  while (end > start + 1 && lines[end - 1]?.trim() === '') end--
  return end
}

function noHeading({ path, body }: Note, heading: string) {
  const headings = [...body.matchAll(/^#+ +(.+)$/gm)].map(([, text]) => text)
  return failure({
    code: 'HEADING_NOT_FOUND',
    message: `'${path}' has no heading '${heading}'`,
    suggestion:
      headings.length === 0 ? 'It has none at all: leave underHeading out.' : `Use one of: ${headings.join(', ')}.`,
  })
}
