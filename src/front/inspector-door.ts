// Connects the inspector to the HTTP front door. The first request for its data loads the modules of the inspector.

import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CommandResult } from '../core/result.ts'
import { httpCaller, type Identity } from './auth.ts'
import type { Inspector } from './inspector/inspector.ts'
import type { InspectorOptions } from './inspector/inspector-options.ts'
import { toWire } from './wire.ts'

export interface InspectorDoor {
  /**
   * The page or one of its files. Undefined for other paths and methods. No token is needed: a browser cannot send one
   * when it opens a page, and the files are the same for everyone.
   */
  page(method: string, path: string): Promise<Response> | undefined
  /** True for a path of the inspector's data, which needs a token. */
  hasData(path: string): boolean
  /** Answers a request for data. Undefined for other paths. */
  answer(request: Request, body: unknown, identity: Identity): Promise<Response> | undefined
  /** Ends the streams of calls. */
  close(): Promise<void>
}

interface InspectorDoorOptions {
  /** Undefined if the server has no inspector. */
  readonly inspector: InspectorOptions | undefined
  /** Empty, or a path such as `/tools`. */
  readonly basePath: string
  readonly mcpPath: string
  onError(error: Error): void
}

const COMMON_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
}

/** The page shows texts of servers, so it may run only its own scripts and load nothing from other addresses. */
const PAGE_HEADERS = {
  ...COMMON_HEADERS,
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    'media-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
}

const DATA_HEADERS = {
  ...COMMON_HEADERS,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
}

const NOT_BUILT = 'The page of the inspector is not part of this build. Run `npm run build` to make it.\n'

export function createInspectorDoor({
  inspector: given,
  basePath,
  mcpPath,
  onError,
}: InspectorDoorOptions): InspectorDoor {
  const startedAt = new Date().toISOString()
  const api = `${basePath}/api/`
  let opening: Promise<Inspector> | undefined
  const isOff = () => given === undefined || given.gateway.loaded.config.http.inspector === 'off'
  const open = async (inspector: InspectorOptions): Promise<Inspector> => {
    const { createInspector } = await import('./inspector/inspector.ts')
    const { gateway } = inspector
    return createInspector({ gateway, reports: await inspector.reports(), mcpPath, startedAt, textOf, onError })
  }
  const hasData = (path: string) => path.startsWith(api) && !isOff()

  return {
    page(method, path) {
      if (isOff() || !isPagePath(path, basePath)) return undefined
      if (method !== 'GET' && method !== 'HEAD') return undefined
      return answerPage(path, basePath)
    },
    hasData,
    answer(request, body, identity) {
      const { pathname } = new URL(request.url)
      if (given === undefined || !hasData(pathname)) return undefined
      // Calls of the page use the modern protocol, so its data is that of a modern caller.
      const caller = httpCaller(identity, 'modern')
      opening ??= open(given).catch((error: unknown) => {
        opening = undefined
        throw error
      })
      return opening
        .then((inspector) => inspector.answer(pathname.slice(api.length), request, body, caller))
        .then(withDataHeaders)
    },
    async close() {
      const inspector = await opening?.catch(() => undefined)
      await inspector?.close()
    },
  }
}

function textOf(name: string, result: CommandResult): string {
  const { content } = toWire(name, result)
  return content.map((block) => (block.type === 'text' ? block.text : JSON.stringify(block))).join('\n')
}

/** Adds the headers for data, also to the response to a refused login. */
export function withDataHeaders(response: Response): Response {
  for (const [name, value] of Object.entries(DATA_HEADERS)) response.headers.set(name, value)
  return response
}

function isPagePath(path: string, basePath: string): boolean {
  if (path === basePath || path === `${basePath}/` || path === `${basePath}/favicon.svg`) return true
  return path.startsWith(`${basePath}/assets/`)
}

async function answerPage(path: string, basePath: string): Promise<Response> {
  // The page refers to its files by relative addresses, so its own address must end with a slash.
  if (path === basePath) return new Response(null, { status: 308, headers: { location: `${basePath}/` } })
  const files = await readPageFiles()
  const file = files.get(path.slice(basePath.length + 1))
  if (file !== undefined) {
    const caching = file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache'
    return new Response(file.bytes, {
      headers: { ...PAGE_HEADERS, 'content-type': file.type, 'cache-control': caching },
    })
  }
  const [status, text] = files.size === 0 ? [503, NOT_BUILT] : [404, 'Not found.\n']
  return new Response(text, {
    status,
    headers: { ...PAGE_HEADERS, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
  })
}

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

/** The files of the page in the package, read at the first use. Resolves with no files if the page is not built. */
function readPageFiles(): Promise<PageFiles> {
  reading ??= readAll(fileURLToPath(new URL('../../dist/inspector/', import.meta.url))).then((files) => {
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
