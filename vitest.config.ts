import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
    maxWorkers: 2,
    // Generous: a test that hangs still ends, and a busy machine is no failure.
    testTimeout: 30_000,
    hookTimeout: 40_000,
    expect: { poll: { timeout: 15_000, interval: 20 } },
    coverage: { include: ['src/**'], exclude: ['src/**/*.test.ts'] },
  },
})
