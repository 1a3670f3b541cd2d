#!/usr/bin/env node
// The command line: the quick answer where there is one, else the whole program.

import type { answerQuickly } from './quick/quick.ts'

const words = process.argv.slice(2)
const code = await loadQuick()?.answerQuickly(words)
if (code !== undefined) process.exitCode = code
else await (await import('./run-program.ts')).runProgram(words)

/** What `npm run build` made of `quick/`; as CommonJS, because to load one module of the other kind takes as long. */
function loadQuick(): { readonly answerQuickly: typeof answerQuickly } | undefined {
  try {
    return process.getBuiltinModule('node:module').createRequire(import.meta.url)('./quick.cjs')
  } catch {
    return undefined
  }
}
