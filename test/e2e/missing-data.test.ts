// Benchmarks in a clone without the data that is not part of the repository.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { root } from './cli/harness.ts'

it.each(['picture', 'startup'])('without the data, the benchmark %s says what is missing, without a stack', (name) => {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const { stdout, stderr } = spawnSync(process.execPath, [join(root, 'build', 'bench', `${name}.js`)], {
    cwd: folder,
    env: { ...process.env, TOOLCRIB_DATA: folder },
    encoding: 'utf8',
  })
  expect(stdout + stderr).toContain('the tool lists of the 168 real servers are not part of this repository')
  expect(stdout + stderr).toContain('Set TOOLCRIB_DATA')
  expect(stderr).not.toMatch(/ENOENT|^\s+at /m)
})
