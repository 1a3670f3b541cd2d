#!/usr/bin/env node
// The command line: the quick answer where there is one, else the whole program.

// Built as CommonJS (see rolldown.config.mjs): Node starts its loader of ES modules only for a program that has one.
import module, { createRequire } from 'node:module'

const words = process.argv.slice(2)
// Since Node 22.8, which our types are older than: the compiled code is kept for the next start.
if ('enableCompileCache' in module && typeof module.enableCompileCache === 'function') module.enableCompileCache()
void start()

async function start(): Promise<void> {
  const code = await answer()
  if (code !== undefined) process.exitCode = code
  else await (await import('./run-program.ts')).runProgram(words)
}

async function answer(): Promise<number | undefined> {
  if (!words.some((word) => word === 'list' || word === 'search' || word === 'tools')) return undefined
  // Required, because an import() would start that loader.
  const quick: typeof import('./quick/quick.ts') = createRequire(import.meta.url)('./quick.cjs')
  return quick.answerQuickly(words)
}
