// Runs one round in a fresh process and reads the figures from its last line.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Figures } from './group.ts'

const LIMIT_MS = 15 * 60_000

/** `program` is a path below build/bench. */
export function runRound(program: string, args: readonly string[]): Figures {
  const file = fileURLToPath(new URL(`../${program}.js`, import.meta.url))
  const { status, stdout, error } = spawnSync(process.execPath, ['--expose-gc', file, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: LIMIT_MS,
  })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}. ${error?.message ?? ''}`)
  const lines = stdout.trimEnd().split('\n')
  const figures = lines.pop() ?? ''
  for (const line of lines) console.error(line)
  return JSON.parse(figures)
}
