import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { summarizeUsage, tokensOf } from './token-stats.ts'

let folder: string
let file: string
const time = '2026-11-15T12:00:00.000Z'

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolcrib-usage-'))
  file = join(folder, 'usage.jsonl')
  const records = [
    // An answer can be logged before its session.
    { time, event: 'answer', tool: 'search_tools', tokens: 100, session: 'a' },
    { time, event: 'session', tokens: 300, session: 'a', servers: ['files', 'mail'] },
    { time, event: 'session', tokens: 300, session: 'b', servers: ['files'] },
    { time, event: 'answer', tool: 'list_tools', tokens: 50, session: 'b' },
    { time, event: 'session', tokens: 999, session: 'c', servers: ['elsewhere'] },
    { time, event: 'answer', tool: 'search_tools', tokens: 999, session: 'c' },
    'cut by a crash',
  ]
  await writeFile(file, records.map((one) => JSON.stringify(one)).join('\n'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it('counts lists and answers only in sessions with a server of the config in force', async () => {
  expect(await summarizeUsage(file, ['files', 'mail', 'new'])).toEqual({
    sessions: 2,
    surfaceTokens: 600,
    answers: 2,
    answerTokens: 150,
    byTool: [
      { tool: 'search_tools', answers: 1, tokens: 100 },
      { tool: 'list_tools', answers: 1, tokens: 50 },
    ],
    sessionsByServer: new Map([
      ['files', 2],
      ['mail', 1],
    ]),
  })
})

it('compares the tokens of each session with the full list of the servers in that session', async () => {
  const usage = await summarizeUsage(file, ['files', 'mail', 'new'])
  const listTokens = new Map([
    ['files', 1_000],
    ['mail', 500],
    ['new', 7_000],
  ])
  expect(tokensOf(usage, listTokens)).toMatchObject({
    // Includes the two tokens of the brackets around a list.
    fullList: 8_502,
    baseline: 2_504,
    surface: 600,
    answers: 150,
    saved: 1_754,
    // The list saves (2,504 - 600) / 2 tokens per session, and a search costs 75.
    breakEvenLooks: 12,
  })
})

it('saves no tokens if no session had a server of the config', async () => {
  const usage = await summarizeUsage(file, ['new'])
  expect(tokensOf(usage, new Map([['new', 7_000]]))).toMatchObject({ baseline: 0, saved: 0, breakEvenLooks: null })
})

it('converts bytes to tokens, and reads lines of older versions that contain tokens', async () => {
  const mixed = join(folder, 'mixed.jsonl')
  const records = [
    { time, event: 'session', bytes: 1_000, session: 'a', servers: ['files'] },
    { time, event: 'session', tokens: 300, session: 'b', servers: ['files'] },
    { time, event: 'answer', tool: 'search_tools', bytes: 501, session: 'a' },
    { time, event: 'answer', tool: 'search_tools', tokens: 50, session: 'b' },
    { time, event: 'answer', tool: 'search_tools', session: 'b' },
  ]
  await writeFile(mixed, records.map((one) => JSON.stringify(one)).join('\n'))
  expect(await summarizeUsage(mixed, ['files'], { lists: 0.3, answers: 0.2 })).toMatchObject({
    sessions: 2,
    surfaceTokens: 600,
    answers: 2,
    answerTokens: 150,
    byTool: [{ tool: 'search_tools', answers: 2, tokens: 150 }],
  })
})
