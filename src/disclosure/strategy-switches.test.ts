import { describe, expect, it } from 'vitest'
import { strategyIn } from './strategy-switches.ts'

describe('strategyIn', () => {
  it.each([
    [{}, undefined],
    [{ TOOL_LOADING: '', LAZY_MODE: '' }, undefined],
    [{ TOOL_LOADING: 'eager' }, 'individual'],
    [{ TOOL_LOADING: 'Lazy' }, 'categories'],
    [{ LAZY_MODE: 'true' }, 'manage'],
    [{ LAZY_MODE: '1' }, 'manage'],
    [{ LAZY_MODE: 'YES' }, 'manage'],
    [{ LAZY_MODE: 'on' }, 'manage'],
    [{ LAZY_MODE: 'false' }, 'individual'],
    [{ LAZY_MODE: '0' }, 'individual'],
    [{ LAZY_MODE: 'off', TOOL_LOADING: 'lazy' }, 'categories'],
    [{ TOOL_LOADING: 'eager', LAZY_MODE: 'true' }, 'individual'],
    [{ TOOL_LOADING: 'lazy', LAZY_MODE: 'true' }, 'categories'],
  ])('chooses the strategy for the environment %j: %s', (env, strategy) => {
    expect(strategyIn(env)?.strategy).toBe(strategy)
  })

  it.each([
    [
      { TOOL_LOADING: 'sometimes' },
      "Invalid environment variable TOOL_LOADING: expected eager or lazy, not 'sometimes'",
    ],
    [{ LAZY_MODE: 'maybe' }, "Invalid environment variable LAZY_MODE: expected true or false, not 'maybe'"],
  ])('refuses the environment %j and names the expected values', (env, message) => {
    expect(() => strategyIn(env)).toThrow(message)
  })
})
