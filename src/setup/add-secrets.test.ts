import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addSecrets } from './add-secrets.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolcrib-secrets-'))
  file = join(folder, 'deep', 'secrets.env')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('added secrets', () => {
  it('secrets that many writers add at the same time are all in the file', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `NAME_${at}`)
    await Promise.all(names.map((name) => addSecrets(file, [`${name}=value`])))
    expect(Object.keys(parseEnv(readFileSync(file, 'utf8'))).sort()).toEqual(names.sort())
  })

  it('secrets are appended on lines of their own to a file that only this user can read', async () => {
    await addSecrets(file, ['A=1'])
    writeFileSync(file, `${readFileSync(file, 'utf8')}MINE=2 # no line end`, { mode: 0o644 })
    await addSecrets(file, ['B=3', 'A=4'])
    expect(parseEnv(readFileSync(file, 'utf8'))).toEqual({ A: '4', MINE: '2', B: '3' })
    expect(readFileSync(file, 'utf8')).toMatch(/^# Values that toolcrib[^\n]*\nA=1\nMINE/)
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
  })
})
