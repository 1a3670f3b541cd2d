// The initial notes of a vault.

import type { Note, Reminder } from './vault.ts'

export const notes: readonly Note[] = [
  note(
    'README.md',
    '2026-01-05',
    ['meta'],
    [
      '# My vault',
      'Start here. Projects live in [[projects/kitchen.md]] and [[projects/newsletter.md]], daily notes in `journal/`.',
      '',
      '## Conventions',
      '- One idea per note, linked with double brackets.',
      '- Tags say what a note is, folders say what it belongs to.',
      '',
      '## Known problems',
      '- The Markdown export drops the tags of the notes. Somebody should file an issue.',
    ],
  ),
  note(
    'projects/kitchen.md',
    '2026-02-11',
    ['project', 'home'],
    [
      '# Kitchen renovation',
      'Budget: 18,000. Fitter comes in week 14, see [[people/marta-lopes.md]].',
      '',
      '## Open',
      '- [ ] Choose tiles',
      '- [ ] Order the induction hob',
      '- [x] Measure the worktop',
    ],
  ),
  note(
    'projects/newsletter.md',
    '2026-02-20',
    ['project', 'writing'],
    [
      '# Newsletter',
      'Goes out on the first Thursday. Ideas come from [[reading/how-buildings-learn.md]] and [[ideas/slow-web.md]].',
      '',
      '## March issue',
      '- Why old houses are easier to change',
    ],
  ),
  note(
    'people/marta-lopes.md',
    '2026-02-12',
    ['person', 'home'],
    ['# Marta Lopes', 'Kitchen fitter. Prefers text messages. Recommended by Jonas.'],
  ),
  note(
    'people/jonas-weber.md',
    '2025-11-30',
    ['person'],
    ['# Jonas Weber', 'Neighbour, edits the [[projects/newsletter.md]].'],
  ),
  note(
    'reading/how-buildings-learn.md',
    '2026-01-24',
    ['book', 'architecture'],
    [
      '# How Buildings Learn',
      'Stewart Brand, 1994. Layers change at different speeds: site, structure, skin, services, space plan, stuff.',
      'Applies to software as well; compare [[ideas/shearing-layers.md]].',
    ],
  ),
  note(
    'ideas/shearing-layers.md',
    '2026-01-25',
    ['idea', 'software', 'architecture'],
    ['# Shearing layers in software', 'What changes often should not be nailed to what changes seldom.'],
  ),
  note(
    'journal/2026-03-01.md',
    '2026-03-01',
    ['journal'],
    ['# Sunday', 'Walked to the harbour. Tiles: the green ones. Tell [[people/marta-lopes.md]].'],
  ),
]

export const trash: readonly Note[] = [
  note('ideas/podcast.md', '2025-10-02', ['idea'], ['# Podcast', 'No time for it.']),
]

export const createdFolders: readonly string[] = ['archive']

export const reminders: readonly Reminder[] = [
  reminder('rem-1', 'projects/kitchen.md', 'Order the induction hob', '2026-03-02T08:00:00Z', 'none'),
  reminder('rem-2', 'projects/newsletter.md', 'Send the newsletter', '2026-03-05T07:00:00Z', 'monthly'),
  reminder('rem-3', 'journal/2026-03-01.md', 'Write the journal', '2026-03-02T20:00:00Z', 'daily'),
]

function note(path: string, day: string, tags: readonly string[], lines: readonly string[]): Note {
  return { path, body: lines.join('\n'), tags, createdAt: `${day}T08:00:00Z`, updatedAt: `${day}T08:30:00Z` }
}

function reminder(id: string, path: string, text: string, dueAt: string, repeat: Reminder['repeat']): Reminder {
  return { id, path, text, dueAt, repeat, isDone: false }
}
