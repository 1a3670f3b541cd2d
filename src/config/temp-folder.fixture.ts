// Creates a folder for one test, and removes it afterwards.

import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { removeFolder } from '../storage/remove-folder.fixture.ts'

export interface TempFolder {
  readonly path: string
  /** The path of a file in the folder. The file may be missing. */
  at(...parts: readonly string[]): string
  /** Writes a text, or a value as JSON, and returns the path. */
  write(path: string, content: unknown): string
}

export function tempFolder(): TempFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'toolcrib-')))
  onTestFinished(() => removeFolder(path))
  return {
    path,
    at: (...parts) => join(path, ...parts),
    write(name, content) {
      const file = join(path, name)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
      return file
    },
  }
}
