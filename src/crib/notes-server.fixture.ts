// For the tests of this folder: the command line of a small server that keeps notes in memory.

import { fixturePath } from '../sources/upstream/upstream.fixture.ts'

export const NOTES = 'notes'
export const OTHER_NOTES = 'recipes'

/** An entry of `servers` in a config. */
export function notesServer(kind: string): { readonly command: string; readonly args: readonly string[] } {
  return { command: process.execPath, args: [fixturePath('notes'), kind] }
}
