import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it, vi } from 'vitest'
import type { ServerConfig } from '../../../config/server-config.ts'
import { startableOf } from '../../gateway/served-config.ts'
import { failuresFile, recentFailures } from '../../gateway/unreachable.ts'
import { keepFailures } from './keep-failures.ts'

const cacheDir = mkdtempSync(join(tmpdir(), 'toolcrib-failures-'))
afterAll(() => rmSync(cacheDir, { recursive: true, force: true }))

const server = (name: string): ServerConfig => ({
  name,
  enabled: true,
  connection: { type: 'stdio', command: name, args: [], env: {} },
  origin: { source: 'config', file: 'config.json' },
})
const servers = [server('one'), server('two')]

it('failed starts are written once per period, and the remaining ones on close', async () => {
  const keeper = keepFailures({ cacheDir, env: {} }, () => servers, 50)
  keeper.note('one', { reason: 'first reason' })
  keeper.note('one', { reason: 'second reason', loginCommand: 'toolcrib login one' })
  const read = () => recentFailures({ cacheDir }, servers.map(startableOf))
  expect(read().size).toBe(0)
  const one = { reason: 'second reason', loginCommand: 'toolcrib login one' }
  await vi.waitFor(() => expect(Object.fromEntries(read())).toEqual({ one }))
  const before = readFileSync(failuresFile(cacheDir), 'utf8')
  keeper.note('two', { reason: 'third reason' })
  expect(readFileSync(failuresFile(cacheDir), 'utf8')).toBe(before)
  await keeper.close()
  expect(Object.fromEntries(read())).toEqual({ one, two: { reason: 'third reason' } })
})
