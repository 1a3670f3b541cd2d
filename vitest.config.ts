import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/**
 * Tests of the commands that write config files, some with the config files of all clients. Also tests of the examples
 * in the help of every command. `npm run test:setup` runs them.
 */
const SETUP = [
  'test/e2e/cli/{add,completion,config-init,help,homes,import,install,install-keeps,platforms}.test.ts',
  'test/e2e/cli/{reinstall,same-names,setup-attacks,setup-output,three-clients}.test.ts',
  'test/e2e/cli/{trust,trust-adds,trust-command,unused-project}.test.ts',
]
/** Every strategy with every source and transport. `npm run test:matrix` runs them. */
const MATRIX = ['test/matrix/**/*.test.ts']
/** Several people and replicas, with a real Redis and nginx. `npm run test:team` runs them. */
const TEAM = ['test/team/**/*.test.ts']
/** Three replicas use the whole machine. This file runs after the other tests of teams. */
const TEAM_ALONE = ['test/team/fleet.test.ts']
/** Faults and attacks. `npm run test:faults` runs them. */
const FAULTS = ['test/faults/**/*.test.ts', 'test/e2e/{ending/*,wrap/faults}.test.ts']
/** Faults with bounds of a few milliseconds. These files run one by one, after the other faults. */
const FAULTS_ALONE = ['test/faults/{input,load}.test.ts']
/** The inspector in a real browser. `npm run test:inspector` runs them. */
const INSPECTOR = ['test/inspector/**/*.test.ts']
/** Measures memory: beside other tests, the garbage collector runs late. These files run after all others. */
const MEMORY = ['test/e2e/gateway/message-memory.test.ts']
/** Each of these tests starts the built program, some of them many times. */
const WITH_PROCESSES = { testTimeout: 120_000, hookTimeout: 120_000 }

/** Tests that replace a module for themselves: each needs modules of its own. */
const ISOLATED = ['src/front/auth.test.ts']

const src = (path: string) => fileURLToPath(new URL(`src/${path}`, import.meta.url))

export default defineConfig({
  // Fixtures and examples import the package by its name. In these processes that means the sources.
  resolve: {
    alias: [
      { find: /^toolcrib$/, replacement: src('index.ts') },
      { find: /^toolcrib\/testing$/, replacement: src('testing.ts') },
    ],
  },
  test: {
    // Four workers also on two cores: many tests wait for a process, and leave their core to other tests meanwhile.
    maxWorkers: 4,
    // Long limits: a test that hangs still ends, and a busy machine does not fail a test.
    testTimeout: 30_000,
    hookTimeout: 40_000,
    expect: { poll: { timeout: 15_000, interval: 20 } },
    coverage: { include: ['src/**'], exclude: ['src/**/*.test.ts'] },
    // One process runs many files: loading the modules again for each took a third of the time.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'src',
          include: ['src/**/*.test.ts', 'bench/**/*.test.ts', 'inspector/**/*.test.ts'],
          exclude: ISOLATED,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/**/*.test.ts', 'examples/**/*.test.ts'],
          exclude: [...SETUP, ...MATRIX, ...TEAM, ...FAULTS, ...INSPECTOR, ...MEMORY],
          ...WITH_PROCESSES,
        },
      },
      { extends: true, test: { name: 'setup', include: SETUP, ...WITH_PROCESSES } },
      { extends: true, test: { name: 'memory', include: MEMORY, sequence: { groupOrder: 1 }, ...WITH_PROCESSES } },
      { extends: true, test: { name: 'matrix', include: MATRIX, ...WITH_PROCESSES } },
      { extends: true, test: { name: 'team', include: TEAM, exclude: TEAM_ALONE, ...WITH_PROCESSES } },
      {
        extends: true,
        test: { name: 'team-alone', include: TEAM_ALONE, sequence: { groupOrder: 1 }, ...WITH_PROCESSES },
      },
      { extends: true, test: { name: 'faults', include: FAULTS, exclude: FAULTS_ALONE, ...WITH_PROCESSES } },
      {
        extends: true,
        test: {
          name: 'faults-alone',
          include: FAULTS_ALONE,
          sequence: { groupOrder: 1 },
          fileParallelism: false,
          ...WITH_PROCESSES,
        },
      },
      {
        extends: true,
        test: {
          name: 'inspector',
          include: INSPECTOR,
          globalSetup: 'test/inspector/launch-browser.ts',
          maxWorkers: 2,
          ...WITH_PROCESSES,
        },
      },
      { extends: true, test: { name: 'isolated', include: ISOLATED, isolate: true } },
    ],
  },
})
