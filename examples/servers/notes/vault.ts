// A vault of Markdown notes in memory: notes by their path, a trash, and reminders.

import type { Counters } from '../../shared/counters.ts'

export const repeats = ['none', 'daily', 'weekly', 'monthly'] as const

export interface Note {
  /** The unique path of a note, such as `projects/kitchen.md`. It is also its name. */
  readonly path: string
  readonly body: string
  readonly tags: readonly string[]
  readonly createdAt: string
  readonly updatedAt: string
}

export interface Reminder {
  readonly id: string
  readonly path: string
  readonly text: string
  readonly dueAt: string
  readonly repeat: (typeof repeats)[number]
  readonly isDone: boolean
}

/** Records are replaced, never edited, so a result that was already returned does not change. */
export interface Vault {
  readonly notes: Map<string, Note>
  readonly trash: Map<string, Note>
  /** Folders that were created explicitly. Folders that contain notes exist without an entry here. */
  readonly createdFolders: Set<string>
  readonly reminders: Map<string, Reminder>
  readonly counters: Counters
}

/** The folder of a path: `projects/home` for `projects/home/kitchen.md`; empty at the top level. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** Whether a path is in the folder or below it. Every path is in the top folder ''. */
export function isIn(folder: string, path: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`)
}

/** All folders, with the parent folders of each. */
export function foldersOf({ notes, createdFolders }: Vault): string[] {
  const all = new Set<string>()
  for (const start of [...[...notes.keys()].map(folderOf), ...createdFolders]) {
    for (let folder = start; folder !== ''; folder = folderOf(folder)) all.add(folder)
  }
  return [...all].sort()
}

/** The first heading, or the name of the file. */
export function titleOf({ path, body }: Note): string {
  return /^# +(.+)$/m.exec(body)?.[1]?.trim() ?? path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '')
}

export function summaryOf(note: Note) {
  const { path, tags, updatedAt } = note
  return { path, title: titleOf(note), tags, updatedAt }
}
