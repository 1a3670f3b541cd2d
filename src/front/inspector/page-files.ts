// Reads the files of the built inspector page from the package, once.

import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

interface PageFile {
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
  /** True if the name contains a hash of the content. */
  readonly isImmutable: boolean
}

/** The files by their path below the address of the page. The page itself has the empty path. */
type PageFiles = ReadonlyMap<string, PageFile>

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

let reading: Promise<PageFiles> | undefined

/** Resolves with no files if the page is not built. */
export function readPageFiles(): Promise<PageFiles> {
  reading ??= readAll(fileURLToPath(new URL('../../../dist/inspector/', import.meta.url))).then((files) => {
    // An empty result is not kept: the page may be built later.
    if (files.size === 0) reading = undefined
    return files
  })
  return reading
}

async function readAll(folder: string): Promise<PageFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = new Map<string, PageFile>()
  for (const entry of entries) {
    const type = TYPES[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    const file = join(entry.parentPath, entry.name)
    const path = file.slice(folder.length).replaceAll('\\', '/')
    const bytes = new Uint8Array(await readFile(file))
    files.set(path === 'index.html' ? '' : path, { type, bytes, isImmutable: path.startsWith('assets/') })
  }
  return files
}
