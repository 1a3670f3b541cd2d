// Runs a program of test/fixtures as a child process.

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

interface ChildOptions {
  /** The `ulimit -f` of the shell. It limits the size of every file the child writes, which simulates a full disk. */
  readonly maxFileBlocks?: number
}

export function startChild(name: string, args: readonly string[], options: ChildOptions = {}): ChildProcess {
  const { maxFileBlocks } = options
  const path = fileURLToPath(new URL(`../../build/test/fixtures/${name}.js`, import.meta.url))
  if (!existsSync(path)) {
    throw new Error(`${path} is not built. Run \`npm test\`, or \`npx tsc -p tsconfig.tools.json\` before vitest.`)
  }
  const command = [process.execPath, path, ...args]
  const limited = ['sh', '-c', `ulimit -f ${maxFileBlocks}; exec "$@"`, 'sh', ...command]
  const [program = '', ...rest] = maxFileBlocks === undefined ? command : limited
  return spawn(program, rest, { stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Runs the program to its end and parses the last line it printed as JSON. */
export async function runChild(name: string, args: readonly string[], options?: ChildOptions): Promise<unknown> {
  const child = startChild(name, args, options)
  if (child.stdout === null) throw new Error('no output')
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const printed = await text(child.stdout)
  const code = await ended
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${printed}`)
  return JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '')
}

export function makeTempDir(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'toolcrib-storage-'))
}
