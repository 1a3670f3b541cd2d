// Loads the default export of a TypeScript or JavaScript config, always from the current file on disk.

import { randomUUID } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { extname, isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Jiti } from 'jiti'
import { withoutStdout } from '../core/claim-stdout.ts'
import { shellWord } from '../core/text.ts'
import type { Document } from './document.ts'
import { type ConfigProblem, fileProblem } from './problem.ts'

export const PACKAGE = 'toolcrib'
/** The extensions of modules that Node loads without jiti. */
const NATIVE = new Set(['.js', '.mjs', '.cjs'])

export function isModule(path: string): boolean {
  return /\.[cm]?[jt]s$/.test(path)
}

export function loadModule(file: string, text: string): Promise<Document> {
  return withoutStdout(() => load(file, text))
}

async function load(file: string, text: string): Promise<Document> {
  try {
    // Our package may be missing from the node_modules folders above the config, for example if npx started us. Then
    // Node cannot resolve the config's import of our package. With jiti the import works.
    const needsOwnModule = text.includes(PACKAGE) && !isInstalledFor(file)
    const exported = NATIVE.has(extname(file)) && !needsOwnModule ? await importFresh(file) : await importWithJiti(file)
    return await documentOf(exported, file)
  } catch (error) {
    return { ok: false, problem: problemOf(error, file) }
  }
}

/** The config that a module exports by default, which may be a promise. */
export async function documentOf(exported: unknown, file: string): Promise<Document> {
  if (exported !== undefined) return { ok: true, value: await exported }
  return { ok: false, problem: fileProblem(file, { expected: 'a default export', found: 'none' }) }
}

async function importFresh(file: string): Promise<unknown> {
  const url = pathToFileURL(file)
  // Node caches ES modules by their URL and CommonJS modules by their path, both forever. An edited file is loaded only
  // if its URL is new and its path is not in the cache of CommonJS modules.
  url.searchParams.set('reload', randomUUID())
  delete createRequire(file).cache[realpathSync(file)]
  const loaded: { readonly default?: unknown } = await import(url.href)
  return loaded.default
}

async function importWithJiti(file: string): Promise<unknown> {
  const jiti = await startJiti(file)
  const loaded = await jiti.import<{ readonly default?: unknown }>(file)
  return loaded.default
}

/** With `interopDefault`, a default import of a CommonJS module is its exports. */
export async function startJiti(file: string, interopDefault = false): Promise<Jiti> {
  const { createJiti } = await import('jiti')
  return createJiti(file, {
    moduleCache: false,
    fsCache: false,
    // If this is true, jiti returns a config without a default export as if it had one.
    interopDefault,
    // If these two options are not set, jiti reads them from environment variables.
    alias: {},
    tryNative: false,
    // Set even if our package is installed, because jiti would otherwise compile the whole package.
    virtualModules: { [PACKAGE]: ownModule() },
  })
}

/** Most configs import only `defineConfig`. Another name, such as `defineRanker`, loads the whole package. */
function ownModule(): Readonly<Record<string, unknown>> {
  return new Proxy<Record<string, unknown>>(
    { defineConfig: (config: unknown) => config },
    {
      get(known, name) {
        // The loader itself reads these names, to distinguish modules from other objects.
        const isReadByLoader = typeof name === 'symbol' || ['__esModule', 'default', 'then'].includes(name)
        if (isReadByLoader || name in known) return Reflect.get(known, name)
        const all: Readonly<Record<string, unknown>> = createRequire(import.meta.url)(PACKAGE)
        return all[name]
      },
    },
  )
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
  const expected = 'a module that loads'
  if (!(error instanceof Error)) return fileProblem(file, { expected, found: 'one that throws' })
  const missing = missingImport(error)
  if (missing !== undefined) {
    return fileProblem(file, { expected, found: `an import of '${missing}'`, message: missingText(missing) })
  }
  // A syntax error of jiti has its position only in its message. A test fails if the message changes.
  const [, line, column] = /:(\d+):(\d+)\s*$/.exec(error.message) ?? []
  const found = `one that fails with ${loadErrorText(error)}`
  const needsCheck = line === undefined && NATIVE.has(extname(file)) && isParseError(error, file)
  const check = `Expected ${expected}, found ${found}. \`node --check ${shellWord(file)}\` prints the line of a syntax error`
  return fileProblem(file, {
    expected,
    found,
    ...(needsCheck ? { message: check } : {}),
    ...(line === undefined ? {} : { line: Number(line), column: Number(column) + 1 }),
  })
}

/**
 * Whether Node could not parse the module. Node prints the position of such an error and does not store it. An error
 * that the module throws when it runs, for example from `JSON.parse`, has the module in its stack.
 */
function isParseError(error: Error, file: string): boolean {
  const { stack = '' } = error
  return error instanceof SyntaxError && !stack.includes(pathToFileURL(file).href) && !stack.includes(`(${file}:`)
}

/** The package or file that Node or jiti could not find. Undefined for other errors. */
function missingImport(error: Error): string | undefined {
  const isMissing = 'code' in error && (error.code === 'MODULE_NOT_FOUND' || error.code === 'ERR_MODULE_NOT_FOUND')
  return isMissing ? /^Cannot find (?:module|package) '([^'\n]+)'/.exec(error.message)?.[1] : undefined
}

function missingText(missing: string): string {
  const isFile = /^\.{1,2}[\\/]|^file:/.test(missing) || isAbsolute(missing)
  if (isFile) return `Cannot find the imported file '${missing}'`
  if (/^(?:@\/|[~#])/.test(missing))
    return `Cannot find the import '${missing}'. A config cannot use path aliases; import the file by a relative path`
  // `zod/v4` is a part of the package `zod`, and `@scope/name/part` a part of `@scope/name`.
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(missing)?.[0] ?? missing
  return `Cannot find the package '${name}'. Run \`npm install ${name}\` in the folder of this file`
}

/**
 * Returns the name of the error, and its message only if the engine probably wrote it and it contains no double quote.
 * Other messages may quote a value of the config, or be written by the config itself. V8 puts values in double quotes,
 * but not names; no property of its errors distinguishes the two.
 */
function loadErrorText(error: Error): string {
  const isLikelyEngineError = (error instanceof ReferenceError || error instanceof TypeError) && !('code' in error)
  const [line = ''] = error.message.split('\n')
  return isLikelyEngineError && !error.message.includes('"') ? `${error.name}: ${line}` : error.name
}
