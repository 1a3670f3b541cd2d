// For the tests of this folder: a small server with a memory, as a command line.

import { fixturePath } from '../sources/upstream/upstream.fixture.ts'

export const NOTES = 'notes'
export const OTHER_NOTES = 'recipes'

/** An entry of a config's `servers`. */
export function notesServer(kind: string): { readonly command: string; readonly args: readonly string[] } {
  return { command: process.execPath, args: [fixturePath('notes'), kind] }
}
