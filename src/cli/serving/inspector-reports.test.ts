import { appendFileSync, mkdirSync, rmdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { tempFolder } from '../../config/temp-folder.fixture.ts'
import type { Gateway } from '../../crib/from-config.ts'
import { usageFile } from '../usage/usage-log.ts'
import { inspectorReports } from './inspector-reports.ts'

const time = '2026-11-18T10:00:00.000Z'
/** The savings do not read the configuration. */
const gateway = {} as Pick<Gateway, 'loaded'>

it('the savings are computed from bytes with one ratio for lists and another for answers', async () => {
  const folder = tempFolder()
  mkdirSync(folder.at('state'))
  const file = usageFile(folder.at('state'))
  const log = (record: object) => appendFileSync(file, `${JSON.stringify({ time, ...record })}\n`)
  log({ event: 'session', bytes: 1_000, session: 'a', servers: ['files'] })
  log({ event: 'answer', bytes: 600, session: 'a', tool: 'search_tools' })
  const { savings } = inspectorReports(gateway, { home: folder.path, stateDir: folder.at('state') })
  const listTokens = new Map([['files', 4_998]])
  const measured = { listTokens, tokensPerByte: { lists: 0.2, answers: 0.5 } }
  expect(await savings?.(0, measured)).toEqual([
    { time: Date.parse(time), tokens: 4_800 },
    { time: Date.parse(time), tokens: -300 },
  ])
  // A request for a later time gets no records. A record that is logged later is added.
  expect(await savings?.(Date.parse(time) + 1, measured)).toEqual([])
  log({ event: 'answer', tokens: 70, tool: 'search_tools' })
  expect((await savings?.(0, measured))?.at(-1)).toEqual({ time: Date.parse(time), tokens: -70 })
})

it('the savings are read again after a request for which the log could not be read', async () => {
  const folder = tempFolder()
  const file = usageFile(folder.at('state'))
  mkdirSync(`${file}.1`, { recursive: true })
  appendFileSync(file, `${JSON.stringify({ time, event: 'answer', tokens: 70, tool: 'search_tools' })}\n`)
  const { savings } = inspectorReports(gateway, { home: folder.path, stateDir: folder.at('state') })
  const measured = { listTokens: new Map(), tokensPerByte: { lists: 0.2, answers: 0.5 } }
  await expect(savings?.(0, measured)).rejects.toThrow('EISDIR')
  rmdirSync(`${file}.1`)
  expect(await savings?.(0, measured)).toEqual([{ time: Date.parse(time), tokens: -70 }])
})
