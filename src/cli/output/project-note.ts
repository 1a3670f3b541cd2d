// Formats the note about unused config files of the current folder, with short paths for a terminal.

import { projectNote as noteOf, type ProjectFiles } from '../../config/load/project-note.ts'
import { oneLine, shortPath } from './text.ts'

export function projectNote(files: ProjectFiles, home: string): string | undefined {
  const note = noteOf(files, (path) => shortPath(path, home))
  return note === undefined ? undefined : oneLine(note)
}
