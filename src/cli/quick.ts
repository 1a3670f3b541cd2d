// Answers list, search and tools from the cached catalog. Built into one file, without the gateway.

import { fstatSync, writeSync } from 'node:fs'
import { errorCode } from '../core/text.ts'
import { type Environment, readEnvironment } from '../setup/environment.ts'
import { answerFromCache, type WithCatalog } from './cache/cached-catalog.ts'
import { list } from './commands/list.ts'
import { search } from './commands/search/search.ts'
import { tools } from './commands/tools.ts'
import { createOutput, endOnBrokenPipe, type Output, type Sinks } from './output/output.ts'
import { readTerminal } from './output/terminal.ts'
import type { CommonFlags, Work } from './output/work.ts'
import { type PlainLine, readWords } from './words/read-words.ts'

const COMMANDS: Readonly<Record<string, (work: Work, line: PlainLine) => Promise<number>>> = {
  list: (work, { flags }) => list(work, flags, withCache),
  search: (work, { operands, flags }) => search(work, operands.join(' '), flags, withCache),
  tools: (work, { operands: [server = ''], flags }) => tools(work, server, flags, withCache),
}

/** Returns the exit code, or undefined if nothing was printed and the whole program must run the command. */
export async function answerQuickly(words: readonly string[]): Promise<number | undefined> {
  const line = readWords(words)
  const command = line === undefined ? undefined : COMMANDS[line.command]
  if (line === undefined || command === undefined) return undefined
  try {
    const environment = readEnvironment()
    const { flags } = line
    const output = createPlainOutput(flags, environment)
    return await command({ environment, flags, output, signal: new AbortController().signal }, line)
  } catch {
    // Nothing was printed yet, see `WithCatalog`. The whole program finds the same error and prints it.
    return undefined
  }
}

const withCache: WithCatalog = async (work, need, use) => {
  const code = await answerFromCache(work, need, (catalog) => use({ ...catalog, explain: leaveToProgram }))
  if (code === undefined) throw new Error('no valid cached catalog')
  return code
}

/** Only the whole program reads other configs. */
async function leaveToProgram(): Promise<never> {
  throw new Error('an unknown server')
}

const STDOUT = 1

/** Writes directly to a file or pipe, because creating the streams of Node takes longer than most answers. */
function createPlainOutput(flags: CommonFlags, { env, home }: Environment): Output {
  const { config } = flags
  if (mayBeTerminal()) {
    process.stdout.on('error', endOnBrokenPipe)
    return createOutput(flags, readTerminal(process, env), { home, config })
  }
  const streams = {
    stdout: {},
    get stderr() {
      return process.stderr
    },
    get stdin() {
      return process.stdin
    },
  }
  return createOutput(flags, readTerminal(streams, env), { home, config, sinks: DIRECT })
}

const DIRECT: Sinks = { out: writeOut, err: (text) => void process.stderr.write(text) }

function mayBeTerminal(): boolean {
  try {
    return process.platform === 'win32' || fstatSync(STDOUT).isCharacterDevice()
  } catch {
    return true
  }
}

function writeOut(text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(STDOUT, bytes, at)
    } catch (error) {
      // The pipe is full and non-blocking; the stream waits until the pipe accepts more.
      if (errorCode(error) === 'EAGAIN') {
        process.stdout.on('error', endOnBrokenPipe)
        process.stdout.write(bytes.subarray(at))
        return
      }
      endOnBrokenPipe(error)
    }
  }
}
