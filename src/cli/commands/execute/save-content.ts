// Saves binary content of a result (images, audio, other files) in a folder.

import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { errorCode } from '../../../core/error-code.ts'
import { raise } from '../../../core/errors.ts'
import { isRecord } from '../../../core/is-record.ts'
import { makeFolder } from '../../../storage/make-folder.ts'
import { reasonOf } from '../../../storage/problem.ts'

interface Binary {
  readonly mimeType: string
  readonly bytes: Buffer
  /** The file name in its URI. */
  readonly name?: string
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'video/mp4': 'mp4',
  'application/pdf': 'pdf',
  'application/json': 'json',
  'application/zip': 'zip',
  'application/gzip': 'gz',
  'text/csv': 'csv',
  'text/html': 'html',
  'text/plain': 'txt',
}
const MAX_TRIES = 1_000

/** Undefined for blocks without binary data. */
export function binaryOf(block: unknown): Binary | undefined {
  if (!isRecord(block)) return undefined
  const { resource } = block
  const content = isRecord(resource) ? resource : block
  const encoded = content.blob ?? content.data
  if (typeof encoded !== 'string') return undefined
  const mimeType = typeof content.mimeType === 'string' ? content.mimeType : 'application/octet-stream'
  const name = typeof content.uri === 'string' ? nameIn(content.uri) : undefined
  return { mimeType, bytes: Buffer.from(encoded, 'base64'), ...(name === undefined ? {} : { name }) }
}

/** Adds a number to the name, so that no existing file is overwritten. Returns the path. */
export async function saveBinary(binary: Binary, folder: string, cwd: string, tool: string): Promise<string> {
  const { mimeType, bytes, name } = binary
  const typeExtension = EXTENSIONS[mimeType.split(';', 1)[0]?.trim().toLowerCase() ?? ''] ?? 'bin'
  const stem = (name ?? tool).replace(/\.[A-Za-z0-9]{1,8}$/, '')
  const extension = /\.([A-Za-z0-9]{1,8})$/.exec(name ?? '')?.[1] ?? typeExtension
  try {
    await makeFolder(resolve(cwd, folder), 0o777)
    for (let at = 1; at <= MAX_TRIES; at++) {
      const file = join(folder, `${safeName(stem)}-${at}.${extension}`)
      try {
        await writeFile(resolve(cwd, file), bytes, { flag: 'wx' })
        return file
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error
      }
    }
  } catch (error) {
    return raise('CONFIG_UNWRITABLE', {
      file: folder,
      reason: reasonOf(error),
      todo: 'Choose another folder with --out.',
    })
  }
  return raise('CONFIG_UNWRITABLE', {
    file: folder,
    reason: `it already contains ${MAX_TRIES} files with this name`,
    todo: 'Choose another folder with --out.',
  })
}

function nameIn(uri: string): string | undefined {
  return uri.split(/[?#]/, 1)[0]?.split('/').at(-1) || undefined
}

/** A server chooses the file name but must not choose the folder. */
function safeName(name: string): string {
  return (
    name
      .replace(/[^\w.-]+/g, '_')
      .replace(/^\.+/, '')
      .slice(0, 80) || 'content'
  )
}
