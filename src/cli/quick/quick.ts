// list, search and tools from a catalog that an earlier command has kept; built into one file, without the gateway.

import { readEnvironment } from '../environment.ts'
import { mayComeFromFile, useCatalog, type WithKnown } from '../known/known.ts'
import { openKept } from '../known/open-kept.ts'
import { list } from '../list.ts'
import { createPlainOutput } from '../output/plain-output.ts'
import { search } from '../search.ts'
import { tools } from '../tools.ts'
import type { Work } from '../work.ts'
import { type PlainLine, readWords } from './read-words.ts'

const COMMANDS: Readonly<Record<string, (work: Work, line: PlainLine) => Promise<number>>> = {
  list: (work, { flags }) => list(work, flags, withKept),
  search: (work, { operands, flags }) => search(work, operands.join(' '), flags, withKept),
  tools: (work, { operands: [server = ''], flags }) => tools(work, server, flags, withKept),
}

/** The exit code; undefined where nothing was said or done, and the whole program is to do it. */
export async function answerQuickly(words: readonly string[]): Promise<number | undefined> {
  const line = readWords(words)
  const command = line === undefined ? undefined : COMMANDS[line.command]
  if (line === undefined || command === undefined) return undefined
  try {
    const environment = readEnvironment()
    const { flags } = line
    const output = createPlainOutput(flags, environment.env)
    return await command({ environment, flags, output, signal: new AbortController().signal }, line)
  } catch {
    // Before anything was shown, see `WithKnown`. What is wrong, the whole program finds too, and says.
    return undefined
  }
}

const withKept: WithKnown = async (work, need, use) => {
  const kept = mayComeFromFile(work, need) ? openKept(work) : undefined
  const code = kept === undefined ? undefined : await useCatalog(kept, work, need, use)
  if (code === undefined) throw new Error('nothing kept holds')
  return code
}
