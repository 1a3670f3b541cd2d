// Answers list, search and tools from the cached catalog. Built into one file, without the gateway.

import { readEnvironment } from '../setup/environment.ts'
import { answerFromCache } from './cache/cached-catalog.ts'
import type { WithCatalog } from './cache/catalog-reader.ts'
import { list } from './commands/list.ts'
import { search } from './commands/search/search.ts'
import { tools } from './commands/tools.ts'
import { createPlainOutput } from './output/plain-output.ts'
import type { Work } from './output/work.ts'
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
    const output = createPlainOutput(flags, environment.env)
    return await command({ environment, flags, output, signal: new AbortController().signal }, line)
  } catch {
    // Nothing was printed yet, see `WithCatalog`. The whole program finds the same error and prints it.
    return undefined
  }
}

const withCache: WithCatalog = async (work, need, use) => {
  const code = await answerFromCache(work, need, use)
  if (code === undefined) throw new Error('no valid cached catalog')
  return code
}
