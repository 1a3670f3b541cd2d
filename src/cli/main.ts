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
  else await (await import('./run-program.ts')).runProgram(words)
}

async function answerFromCache(): Promise<number | undefined> {
  if (!words.some((word) => word === 'list' || word === 'search' || word === 'tools')) return undefined
  // require() instead of import(), which would start the ES module loader.
  const quick: typeof import('./quick.ts') = createRequire(import.meta.url)('./quick.cjs')
  return quick.answerQuickly(words)
}
