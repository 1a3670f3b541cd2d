// A project config that is code: finds the files that belong to it, and runs exactly the approved texts.

import { isBuiltin } from 'node:module'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Jiti } from 'jiti'
import { withoutStdout } from '../../core/claim-stdout.ts'
import { type ConfigFiles, type FileRefusal, MAX_UNPARSED_BYTES } from '../config-files.ts'
import type { Document } from '../document.ts'
import { documentOf, isModule, PACKAGE, problemOf, startJiti } from '../load-module.ts'
import { fileProblem } from '../problem.ts'

export interface ProjectModule {
  /**
   * The texts of the local files that it imports, directly or indirectly, by real path. Undefined for a file that
   * cannot be read.
   */
  readonly parts: ReadonlyMap<string, string | undefined>
  /** The imports of packages, and of files that do not exist. Files behind them are not part of the approval. */
  readonly packages: readonly string[]
  /** Whether it also imports modules with computed names. */
  readonly hasComputedImports: boolean
  /** Why one of the local files is not safe to use. */
  readonly refusal?: FileRefusal
  /** The file that `refusal` is about. */
  readonly refusedPart?: string
  /** Why the config cannot be used, even with an approval. */
  readonly fault?: string
}

const MAX_PARTS = 100
const MAX_CHARS = 1024 * 1024
const TOO_MUCH = `it has more than ${MAX_PARTS} local files or ${MAX_CHARS / 1024 / 1024} MB of code`

/** Reads the files and resolves their imports, but runs no code. */
export async function readProjectModule(file: string, text: string, files: ConfigFiles): Promise<ProjectModule> {
  const parts = new Map<string, string | undefined>()
  const packages = new Set<string>()
  const waiting = [{ path: file, text }]
  let hasComputedImports = false
  const unusable = (fault: string) => ({ parts, packages: [], hasComputedImports, fault })
  if (text.length > MAX_CHARS) return unusable(TOO_MUCH)
  let refused: Pick<ProjectModule, 'refusal' | 'refusedPart'> = {}
  let chars = text.length
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { specifiers, isComputed } = importsOf(next.text)
    hasComputedImports ||= isComputed
    const jiti = await startJiti(next.path)
    for (const specifier of specifiers) {
      if (isBuiltin(specifier) || specifier === PACKAGE) continue
      const path = localFile(jiti, specifier)
      if (path === undefined) {
        packages.add(specifier)
        continue
      }
      const real = files.realPath(path)
      if (real === file || parts.has(real)) continue
      if (!isModule(real))
        return unusable(`it imports '${specifier}', and a project's config can only import TypeScript and JavaScript`)
      const read = await files.readGuarded(path, MAX_UNPARSED_BYTES).catch(() => undefined)
      parts.set(real, read?.text)
      if (read?.refusal !== undefined && refused.refusal === undefined)
        refused = { refusal: read.refusal, refusedPart: real }
      chars += read?.text.length ?? 0
      if (parts.size > MAX_PARTS || chars > MAX_CHARS) return unusable(TOO_MUCH)
      if (read !== undefined) waiting.push({ path: real, text: read.text })
    }
  }
  return { parts, packages: [...packages].sort(), hasComputedImports, ...refused }
}

/** Runs the given texts. No other local file is loaded. */
export async function runProjectModule(
  file: string,
  text: string,
  parts: ReadonlyMap<string, string | undefined>,
  files: ConfigFiles,
): Promise<Document> {
  try {
    const jiti = await startJiti(file)
    // Parts are compiled to CommonJS, where a default import of a module such as `node:path` needs this option.
    const cache = createApprovedCache(await startJiti(file, true), parts, files)
    return await withoutStdout(async () => {
      const loaded: unknown = await jiti.evalModule(text, { filename: file, cache, async: true, forceTranspile: true })
      return documentOf(defaultOf(loaded, text), file)
    })
  } catch (error) {
    if (!(error instanceof UnapprovedPart)) return { ok: false, problem: problemOf(error, file) }
    const finding = { expected: 'imports that were approved with it', found: 'another', message: error.message }
    return { ok: false, problem: fileProblem(file, finding) }
  }
}

class UnapprovedPart extends Error {
  override readonly name = 'UnapprovedPart'
}

type ModuleCache = NonNullable<NonNullable<Parameters<Jiti['evalModule']>[1]>['cache']>

/** jiti looks in its cache before it reads a file. This cache runs the approved text, and refuses other local files. */
function createApprovedCache(
  jiti: Jiti,
  parts: ReadonlyMap<string, string | undefined>,
  files: ConfigFiles,
): ModuleCache {
  const cache: ModuleCache = new Proxy<ModuleCache>(
    {},
    {
      get(kept, key) {
        if (typeof key !== 'string' || key in kept) return Reflect.get(kept, key)
        const text = parts.get(files.realPath(key))
        if (text === undefined) {
          if (isInPackage(key)) return undefined
          throw new UnapprovedPart(
            `It loads ${key}, which was not approved with it. Import it with a literal path, then run \`toolcrib trust\``,
          )
        }
        jiti.evalModule(text, { filename: key, ext: extname(key), cache, async: false, forceTranspile: true })
        const part = kept[key]
        // As in Node, a CommonJS module without a default export is its own default export.
        if (isObject(part?.exports) && !('__esModule' in part.exports) && !('default' in part.exports)) {
          Object.defineProperty(part.exports, 'default', { value: part.exports, configurable: true })
        }
        return part
      },
    },
  )
  return cache
}

function defaultOf(loaded: unknown, text: string): unknown {
  if (!isObject(loaded)) return undefined
  if ('default' in loaded) return loaded.default
  return /\bmodule\.exports\b/.test(text) ? loaded : undefined
}

/** The path of a local file. Undefined for an installed package imported by its name, or if the file does not exist. */
function localFile(jiti: Jiti, specifier: string): string | undefined {
  const isLocal = /^(?:\.{0,2}\/|\.{1,2}$|file:)/.test(specifier)
  try {
    const found = jiti.esmResolve(specifier, { try: true })
    const path = found?.startsWith('file:') === true ? fileURLToPath(found) : found
    return path === undefined || (!isLocal && isInPackage(path)) ? undefined : path
  } catch {
    return undefined
  }
}

function isInPackage(path: string): boolean {
  return /[\\/]node_modules[\\/]/.test(path)
}

/** Imports of types only, by name, in braces or with `*`. They are removed by the compiler, so they load no file. */
const TYPES_ONLY =
  /\b(?:import|export)\s+type(?:\s+(?!from\b)[\w$]{1,100}\s|\s*\{[^{}'"`;]{0,5000}\}|\s*\*(?:\s*as\s+[\w$]{1,100}\s)?)\s*from\s*(['"])[^'"\n]*\1/g
/** Imports with a literal name: `from 'x'`, `import 'x'`, `import('x')` and `require('x')`. */
const LITERAL = /(?:\bfrom|\bimport|\b(?:import|require)\s*\()\s*(['"`])([^'"`\n$]+)\1/g
/** Imports with a computed name, such as `import(name)`. A function of `createRequire` can have any name. */
const COMPUTED = /\bcreateRequire\b|\b(?:import|require)\s*\(\s*(?!['"`][^'"`\n$]+['"`]\s*[,)])\S/

/**
 * Finds imports by pattern, also in comments. A text that only looks like an import can add a file to the approval. If
 * it names an existing file that is not code, the config cannot be used.
 */
function importsOf(text: string): { readonly specifiers: readonly string[]; readonly isComputed: boolean } {
  const code = text.replaceAll(TYPES_ONLY, '')
  const specifiers = [...code.matchAll(LITERAL)].map(([, , specifier = '']) => specifier)
  return { specifiers: [...new Set(specifiers)], isComputed: COMPUTED.test(code) }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}
