import { expect, it } from 'vitest'
import { defaultConfig } from '../../config/parse-config.ts'
import { startWaitMs } from './session.ts'

it.each([
  [undefined, 120_000],
  [5_000, 120_000],
  [300_000, 300_000],
])('with a startTimeoutMs of %s a check waits %i ms for a server', (startTimeoutMs, expected) => {
  const config = defaultConfig()
  const limits = { ...config.limits, ...(startTimeoutMs === undefined ? {} : { startTimeoutMs }) }
  expect(startWaitMs({ config: { ...config, limits } })).toBe(expected)
})
