import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { howToSet } from './unset-variables.ts'

const home = mkdtempSync(join(tmpdir(), 'toolcrib-unset-'))
afterAll(() => rmSync(home, { recursive: true }))

const said = (...names: readonly string[]) => howToSet(names, { configDir: home, home, platform: 'linux' })

it('names the file by its short path, and says so where it is not read as it is', () => {
  expect(said('A')).toContain('add it to ~/secrets.env as A=value (readable by you alone: chmod 600), export it, or')
  expect(said('A', 'B')).toContain('add them to ~/secrets.env as NAME=value lines (readable by you alone: chmod 600)')
  const file = join(home, 'secrets.env')
  writeFileSync(file, 'A=1\n')
  chmodSync(file, 0o644)
  expect(said('A')).toContain('~/secrets.env as A=value (which is not read until it is yours alone: chmod 600)')
  chmodSync(file, 0o600)
  expect(said('A')).toContain('(readable by you alone: chmod 600)')
})
