// Hundreds of calls leave no session, listener or memory behind in the process. Needs the built test/fixtures.

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import type { SoakReport } from '../../test/fixtures/soak-entry.ts'

const ENTRY = fileURLToPath(new URL('../../build/test/fixtures/soak-entry.js', import.meta.url))
/** The short version. `npm run soak` runs the long one. */
const CALLS = 400

it(`serves ${CALLS} legacy and ${CALLS} modern calls, and leaves no session, listener or memory behind`, {
  timeout: 240_000,
}, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', ENTRY, String(CALLS)])
  const report = JSON.parse(stdout) as SoakReport // the only line of its output
  expect(report).toMatchObject({ calls: 2 * CALLS, activeLeft: 0, listenersLeft: 0, warnings: [], errors: [] })
  expect(report.sessionsEnded).toBe(report.sessionsBegun)
  const [, second = 0, , last = 0] = report.heapMegabytes
  expect(last - second).toBeLessThan(5)
})
