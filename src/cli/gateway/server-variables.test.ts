import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { describeUnset, explainUnset, howToSet } from './server-variables.ts'

const home = mkdtempSync(join(tmpdir(), 'toolcrib-unset-'))
afterAll(() => rmSync(home, { recursive: true }))

const howTo = (...names: readonly string[]) => howToSet(names, { configDir: home, home, platform: 'linux' })

it('the advice for an unset variable names the secrets file, and warns if other users can access that file', () => {
  expect(howTo('A')).toContain('add it to ~/secrets.env as A=value (readable only by you: chmod 600), export it, or')
  expect(howTo('A', 'B')).toContain('add them to ~/secrets.env as NAME=value lines (readable only by you: chmod 600)')
  const file = join(home, 'secrets.env')
  const place = { configDir: home, home, platform: 'linux' } as const
  expect(explainUnset(['A'], place)).toBe("the variable 'A' is not set")
  writeFileSync(file, 'A=1\n')
  chmodSync(file, 0o644)
  expect(howTo('A')).toBe('run `chmod 600 ~/secrets.env`')
  expect(howTo('B')).toContain('add it to ~/secrets.env as B=value (then run `chmod 600 ~/secrets.env`), export it, or')
  const why = "the variable 'A' is not set: ~/secrets.env is ignored, because other users can access it"
  expect(describeUnset(['A'], place)).toBe(why)
  expect(explainUnset(['A'], place)).toBe(
    "the variable 'A' is not set; run `chmod 600 ~/secrets.env`: the file is ignored, because other users can access it",
  )
  // After that command the variables would still be unset, because the file does not have all of them.
  expect(explainUnset(['B'], place)).toBe("the variable 'B' is not set")
  expect(explainUnset(['A', 'B'], place)).toBe("the variables 'A', 'B' are not set")
  chmodSync(file, 0o600)
  expect(howTo('A')).toContain('(readable only by you: chmod 600)')
})
