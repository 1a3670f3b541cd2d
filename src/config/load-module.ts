// The default export of a TypeScript or JavaScript config, as it is on disk now.

import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Jiti } from 'jiti'
import { defineConfig } from './config.ts'
import type { Document } from './document.ts'
import { type ConfigProblem, problemAt } from './problem.ts'

export const PACKAGE = 'toolcrib'
const NATIVE = new Set(['.js', '.mjs', '.cjs'])

export function isModule(path: string): boolean {
  return /\.[cm]?[jt]s$/.test(path)
}

export async function loadModule(file: string, text: string): Promise<Document> {
  try {
    // Run by npx we are in no folder above the config: then only jiti can lend it what it imports from us.
    const needsUs = text.includes(PACKAGE) && !isInstalledFor(file)
    const exported = NATIVE.has(extname(file)) && !needsUs ? await importFresh(file) : await importWithJiti(file)
    if (exported !== undefined) return { ok: true, value: await exported }
    const finding = { expected: 'a default export', found: 'none' }
    return { ok: false, problem: problemAt({ file, path: [] }, finding) }
  } catch (error) {
    return { ok: false, problem: problemOf(error, file) }
  }
}

async function importFresh(file: string): Promise<unknown> {
  const url = pathToFileURL(file)
  // Modules are kept for ever under their address; a new address is the only way to see an edit.
  url.searchParams.set('reload', randomUUID())
  const loaded: { readonly default?: unknown } = await import(url.href)
  return loaded.default
}

async function importWithJiti(file: string): Promise<unknown> {
  const jiti = await startJiti(file)
  const loaded = await jiti.import<{ readonly default?: unknown }>(file)
  return loaded.default
}

export async function startJiti(file: string): Promise<Jiti> {
  const { createJiti } = await import('jiti')
  return createJiti(file, {
    moduleCache: false,
    fsCache: false,
    // Without it a module that has no default export gives itself for one.
    interopDefault: false,
    // jiti takes these from variables of the environment where they are left out.
    alias: {},
    tryNative: false,
    // All that a config needs of us, also where we are installed: there jiti would translate the whole package.
    virtualModules: { [PACKAGE]: { defineConfig } },
  })
}

function isInstalledFor(file: string): boolean {
  try {
    createRequire(file).resolve(PACKAGE)
    return true
  } catch {
    return false
  }
}

export function problemOf(error: unknown, file: string): ConfigProblem {
  const place = { file, path: [] }
  const expected = 'a module that loads'
  if (!(error instanceof Error)) return problemAt(place, { expected, found: 'one that throws' })
  const [, line, column] = /:(\d+):(\d+)\s*$/.exec(error.message) ?? []
  return problemAt(place, {
    expected,
    found: `one that fails with ${describe(error)}`,
    ...(line === undefined ? {} : { line: Number(line), column: Number(column) + 1 }),
  })
}

// Only messages the engine makes of names: others may quote a value, or be what the config itself throws.
function describe(error: Error): string {
  const code = 'code' in error ? String(error.code) : undefined
  const isMissing = code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND'
  const isOfEngine = error instanceof ReferenceError || error instanceof TypeError
  const isAboutNames = isMissing || (isOfEngine && code === undefined && !error.message.includes('"'))
  const [line = ''] = error.message.split('\n')
  return isAboutNames ? `${error.name}: ${line}` : error.name
}
