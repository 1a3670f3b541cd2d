import { defineConfig } from 'vitest/config'

/** Tests that replace a module for themselves: each needs modules of its own. */
const ISOLATED = ['src/front/auth.test.ts']

export default defineConfig({
  test: {
    maxWorkers: 2,
    // Generous: a test that hangs still ends, and a busy machine is no failure.
    testTimeout: 30_000,
    hookTimeout: 40_000,
    expect: { poll: { timeout: 15_000, interval: 20 } },
    coverage: { include: ['src/**'], exclude: ['src/**/*.test.ts'] },
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
          exclude: ISOLATED,
          // One process runs many files: loading the modules again for each takes most of the time.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'isolated', include: ISOLATED } },
    ],
  },
})
