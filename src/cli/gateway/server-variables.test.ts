import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { howToSet } from './server-variables.ts'

const home = mkdtempSync(join(tmpdir(), 'toolcrib-unset-'))
afterAll(() => rmSync(home, { recursive: true }))

const howTo = (...names: readonly string[]) => howToSet(names, { configDir: home, home, platform: 'linux' })

it('the advice for an unset variable names the secrets file, and warns if other users can access that file', () => {
  expect(howTo('A')).toContain('add it to ~/secrets.env as A=value (readable only by you: chmod 600), export it, or')
  expect(howTo('A', 'B')).toContain('add them to ~/secrets.env as NAME=value lines (readable only by you: chmod 600)')
  const file = join(home, 'secrets.env')
  writeFileSync(file, 'A=1\n')
  chmodSync(file, 0o644)
  expect(howTo('A')).toContain('~/secrets.env as A=value (not read while other users can access it: run chmod 600)')
  chmodSync(file, 0o600)
  expect(howTo('A')).toContain('(readable only by you: chmod 600)')
})
