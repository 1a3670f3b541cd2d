#!/usr/bin/env node
// Entry point of the command line: answers quickly from the cache if possible, otherwise loads the whole program.

// Built as CommonJS (see rolldown.config.mjs), because loading an ES module makes Node start slower.
import module, { createRequire } from 'node:module'

const words = process.argv.slice(2)
// Node has this function since 22.8; the installed types are older. It caches compiled code for the next start.
if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function') module.enableCompileCache()
void start()

async function start(): Promise<void> {
  const code = await answerFromCache()
  if (code !== undefined) process.exitCode = code
  else {
    const given = isSharedServe() ? await joinSharedGateway() : words
    await (await import('./run-program.ts')).runProgram(given)
  }
}

/**
 * Whether the command line asks to relay one client to the shared gateway. If that works, only the code of the relay is
 * loaded.
 */
function isSharedServe(): boolean {
  return words[0] === 'serve' && words.includes('--shared') && !words.some((word) => word === '--help' || word === '-h')
}

/**
 * Does not return if the shared gateway serves the client. Otherwise returns the command line for the whole program,
 * which then serves the client alone or prints the error.
 */
async function joinSharedGateway(): Promise<readonly string[]> {
  const { joinQuickly }: typeof import('./gateway/join-gateway.ts') = createRequire(import.meta.url)('./join.cjs')
  try {
    await joinQuickly(words)
    return words.map((word) => (word === '--shared' ? '--no-shared' : word))
  } catch {
    // The whole program finds the same error and prints it.
    return words
  }
}

async function answerFromCache(): Promise<number | undefined> {
  if (!words.some((word) => word === 'list' || word === 'search' || word === 'tools')) return undefined
  // require() instead of import(), which would start the ES module loader.
  const quick: typeof import('./quick.ts') = createRequire(import.meta.url)('./quick.cjs')
  return quick.answerQuickly(words)
}
