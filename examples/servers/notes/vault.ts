// A vault of Markdown notes in memory: notes by their path, a trash, and reminders.

import type { Counters } from '../../shared/counters.ts'

export const repeats = ['none', 'daily', 'weekly', 'monthly'] as const

export interface Note {
  /** `projects/kitchen.md`: unique, and the only name a note has. */
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

/** Records are replaced, never edited, so an answer already given does not change under its reader. */
export interface Vault {
  readonly notes: Map<string, Note>
  readonly trash: Map<string, Note>
  /** Folders made by themselves; those that hold notes exist without being here. */
  readonly emptyFolders: Set<string>
  readonly reminders: Map<string, Reminder>
  readonly counters: Counters
}

/** `projects/home` of `projects/home/kitchen.md`; empty at the top. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** Whether a path is in the folder or in one below it; every path is in the top one, ''. */
export function isIn(folder: string, path: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`)
}

/** The first heading, or the name of the file. */
export function titleOf({ path, body }: Note): string {
  return /^# +(.+)$/m.exec(body)?.[1]?.trim() ?? path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '')
}

export function summaryOf(note: Note) {
  const { path, tags, updatedAt } = note
  return { path, title: titleOf(note), tags, updatedAt }
}
