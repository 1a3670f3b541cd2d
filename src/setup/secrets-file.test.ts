import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readSecrets, secretLine } from './secrets-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'toolcrib-secrets-'))
afterAll(() => rmSync(folder, { recursive: true }))

it.skipIf(process.platform === 'win32')(
  'reads a secrets file that only its owner can access, and ignores one that others can read',
  () => {
    const file = join(folder, 'secrets.env')
    writeFileSync(file, 'A=one\n', { mode: 0o600 })
    expect(readSecrets(file, 'linux')).toEqual({ A: 'one' })
    chmodSync(file, 0o644)
    expect(readSecrets(file, 'linux')).toEqual({})
    expect(readSecrets(join(folder, 'absent'), 'linux')).toEqual({})
  },
)

it.each(['plain', 'with space', '#hash', `it's`, '"quoted"', ' lead', 'a=b', '$HOME', 'back\\slash'])(
  'writes %j so that reading the file returns the same value',
  (value) => {
    const file = join(folder, 'one.env')
    const line = secretLine('NAME', value)
    expect(line).toBeDefined()
    writeFileSync(file, `${line}\n`, { mode: 0o600 })
    chmodSync(file, 0o600)
    expect(readSecrets(file, 'linux')).toEqual({ NAME: value })
  },
)

it('secretLine returns undefined for a value that contains a line break', () => {
  expect(secretLine('NAME', 'two\nlines')).toBeUndefined()
})

it('reads a secrets file with a byte order mark, as editors on Windows write it', () => {
  const file = join(folder, 'marked.env')
  writeFileSync(file, '\ufeffA=one\r\nB=two\r\n', { mode: 0o600 })
  expect(readSecrets(file, 'win32')).toEqual({ A: 'one', B: 'two' })
})
