import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
    maxWorkers: 2,
    testTimeout: 15_000,
    hookTimeout: 20_000,
    coverage: { include: ['src/**'], exclude: ['src/**/*.test.ts'] },
  },
})
