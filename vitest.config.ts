import { defineConfig } from 'vitest/config'

/** Tests that replace a module for themselves: each needs modules of its own. */
const ISOLATED = ['src/front/auth.test.ts']

export default defineConfig({
  test: {
    // On two cores: many tests wait for a process to start or to end, and leave their core to others meanwhile.
    maxWorkers: 4,
    // Generous: a test that hangs still ends, and a busy machine is no failure.
    testTimeout: 30_000,
    hookTimeout: 40_000,
    expect: { poll: { timeout: 15_000, interval: 20 } },
    coverage: { include: ['src/**'], exclude: ['src/**/*.test.ts'] },
    // One process runs many files: loading the modules again for each took a third of the time.
    isolate: false,
    projects: [
      { extends: true, test: { name: 'src', include: ['src/**/*.test.ts', 'bench/**/*.test.ts'], exclude: ISOLATED } },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
          // Each of these tests starts the built program, some of them many times.
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      { extends: true, test: { name: 'isolated', include: ISOLATED, isolate: true } },
    ],
  },
})
