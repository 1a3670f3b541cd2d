import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { gatewayLogFile, openGatewayLog, readLogRecord } from './gateway-log.ts'

const stateDir = mkdtempSync(join(tmpdir(), 'toolcrib-log-'))
afterAll(() => rmSync(stateDir, { recursive: true }))

it('the log is a private file with one short line per record, without secrets and control characters', async () => {
  const log = openGatewayLog(stateDir, (text) => text.replaceAll('hidden', '[redacted]'))
  log.own('files: \u001b[31mthe key hidden\u001b[0m\nis wrong', 'files')
  log.output('files', ['  at \u0007line\u2028one', 'x'.repeat(10_000)])
  await log[Symbol.asyncDispose]()
  const file = gatewayLogFile(stateDir)
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
  const records = lines.map((line) => readLogRecord(line))
  expect(records.map((record) => [record?.source, record?.about, record?.text.slice(0, 40)])).toEqual([
    ['gateway', 'files', 'files: the key [redacted] is wrong'],
    ['files', undefined, '  at line one'],
    ['files', undefined, 'x'.repeat(40)],
  ])
  expect(records[2]?.text).toHaveLength(4_000)
  expect(records[0]?.pid).toBe(process.pid)
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
})

it.each(['', '{"time":"x"', '{"time":1,"pid":1,"source":"a","text":"b"}', '[]', 'null'])(
  'the log line %j is skipped, because it is not a record',
  (line) => {
    expect(readLogRecord(line)).toBeUndefined()
  },
)
