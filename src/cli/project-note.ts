// The note about the files of the current folder that are not used, as a terminal shows it.

import { projectNote as noteOf, type ProjectFiles } from '../config/project-note.ts'
import { oneLine, shortPath } from './output/text.ts'

export function projectNote(files: ProjectFiles, home: string): string | undefined {
  const note = noteOf(files, (path) => shortPath(path, home))
  return note === undefined ? undefined : oneLine(note)
}
