// Commands for tags, which group notes across folders.

import { type Command, defineCommand, success } from 'toolcrib'
import { z } from 'zod'
import { nextTime } from '../../../shared/counters.ts'
import { changes, reads } from '../../../shared/effects.ts'
import { noNote, noTag } from '../failures.ts'
import { path, tag } from '../fields.ts'
import { summaryOf, type Vault } from '../vault.ts'

export function tagCommands(vault: Vault): Command[] {
  const counts = () => {
    const found = new Map<string, number>()
    for (const { tags } of vault.notes.values()) for (const one of tags) found.set(one, (found.get(one) ?? 0) + 1)
    return found
  }
  return [
    defineCommand({
      name: 'list-tags',
      description: 'List all tags in use with the number of notes that have them.',
      category: 'tag',
      tags: ['browse'],
      ...reads,
      examples: [{ input: {} }],
      input: z.object({
        minNotes: z.number().int().min(1).default(1).describe('Only tags on this many notes or more'),
      }),
      handler({ minNotes }) {
        const tags = [...counts()]
          .map(([name, notes]) => ({ tag: name, notes }))
          .filter(({ notes }) => notes >= minNotes)
        return success({ tags: tags.sort((a, b) => b.notes - a.notes || a.tag.localeCompare(b.tag)) })
      },
    }),
    defineCommand({
      name: 'tag-notes',
      description:
        'Add tags to several notes, or remove them, in one go. Nothing changes if one of the notes is missing.',
      category: 'tag',
      tags: ['write', 'bulk'],
      ...changes,
      errors: ['NOTE_NOT_FOUND', 'NOTE_IN_TRASH'],
      examples: [{ input: { paths: ['people/marta-lopes.md', 'people/jonas-weber.md'], add: ['contact'] } }],
      input: z.object({
        paths: z.array(path).min(1).max(100),
        add: z.array(tag).default([]).describe('Tags to add'),
        remove: z.array(z.string()).default([]).describe('Tags to remove'),
      }),
      handler({ paths, add, remove }) {
        const notes = paths.flatMap((path) => vault.notes.get(path) ?? [])
        const missing = paths.find((path) => !vault.notes.has(path))
        if (missing !== undefined) return noNote(vault, missing)
        const updatedAt = nextTime(vault.counters)
        const changed = notes.map((note) => {
          const tags = [...new Set([...note.tags, ...add])].filter((one) => !remove.includes(one))
          return { ...note, tags, updatedAt }
        })
        for (const note of changed) vault.notes.set(note.path, note)
        return success({ notes: changed.map(summaryOf) })
      },
    }),
    defineCommand({
      name: 'rename-tag',
      description: 'Rename a tag on every note that has it. If the new name exists, the two tags are merged.',
      category: 'tag',
      tags: ['write', 'bulk'],
      ...changes,
      errors: ['TAG_NOT_FOUND'],
      examples: [{ input: { from: 'home', to: 'house' } }],
      input: z.object({ from: z.string().describe('Current name'), to: tag.describe('New name') }),
      handler({ from, to }) {
        const known = counts()
        if (!known.has(from)) return noTag(from, known.keys())
        for (const note of vault.notes.values()) {
          if (!note.tags.includes(from)) continue
          const tags = [...new Set(note.tags.map((one) => (one === from ? to : one)))]
          vault.notes.set(note.path, { ...note, tags })
        }
        return success({ from, to, notes: known.get(from), merged: known.has(to) && from !== to })
      },
    }),
  ]
}
