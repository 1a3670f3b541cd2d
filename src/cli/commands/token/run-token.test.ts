import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../config/temp-folder.fixture.ts'
import { setupJobIn } from '../../../setup/setup-job.fixture.ts'
import { createOutput } from '../../output/output.ts'
import { readTerminal } from '../../output/terminal.ts'
import { addToken, timeFrom } from './run-token.ts'

const NOW = Date.parse('2026-11-16T12:00:00Z')

describe('the expiry of a token', () => {
  it.each([
    ['30s', '2026-11-16T12:00:30.000Z'],
    ['15m', '2026-11-16T12:15:00.000Z'],
    ['12h', '2026-11-17T00:00:00.000Z'],
    ['90d', '2027-02-14T12:00:00.000Z'],
    ['2w', '2026-11-30T12:00:00.000Z'],
    ['1y', '2027-11-16T12:00:00.000Z'],
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T08:00:00Z', '2027-01-31T08:00:00.000Z'],
  ])('the expiry %s of a token that is made on 2026-11-16 at 12:00 UTC is the time %s', (text, expected) => {
    expect(new Date(timeFrom(text, NOW) ?? Number.NaN).toISOString()).toBe(expected)
  })

  it.each(['', '0d', '90', 'd', '-1d', '1.5d', 'tomorrow', '2026-11-16', '2020-01-01', '2027-13-01', '999999y'])(
    'the expiry %j is refused, because it is not a duration or a date within the next 100 years',
    (text) => {
      expect(timeFrom(text, NOW)).toBeUndefined()
    },
  )
})

it('token add notes a server that is not in the config, but not a source of a plugin', async () => {
  const folder = tempFolder()
  const config = folder.write('config.mjs', "export default { plugins: { sources: [{ name: 'notes', open() {} }] } }")
  const printed: string[] = []
  const sinks = { out: () => {}, err: (text: string) => void printed.push(text) }
  const output = createOutput({}, readTerminal(process, { NO_COLOR: '1' }), { sinks })
  const work = { ...setupJobIn(folder.path), flags: { config }, output }
  expect(await addToken(work, 'alice', { servers: 'notes,other' })).toBe(0)
  expect(printed.join('')).toContain("The configuration has no server 'other' at the moment.")
})
