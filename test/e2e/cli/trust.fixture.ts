// Helpers of the trust tests: a home with code that leaves a mark when it runs, and a listener that records requests.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type CliHome, createHome, root, run } from './harness.ts'

export interface MarkedHome extends CliHome {
  /** Whether any code from `code()` has run. */
  hasRun(): boolean
  /** The text of a config module that leaves a mark when it runs. */
  code(config?: object): string
}

export function markedHome(): MarkedHome {
  const home = createHome()
  onTestFinished(() => home.remove())
  const mark = join(home.folder, 'mark')
  let created = 0
  return {
    ...home,
    code(config = { discovery: { servers: { coded: namedTools('a') } } }) {
      created += 1
      const file = JSON.stringify(`${mark}-${created}`)
      return `import { writeFileSync } from 'node:fs'\nwriteFileSync(${file}, 'ran')\nexport default ${JSON.stringify(config)}\n`
    },
    hasRun: () => Array.from({ length: created }, (_, at) => `${mark}-${at + 1}`).some((file) => existsSync(file)),
  }
}

/** The command line of a server with these tools. */
export function namedTools(...tools: readonly string[]) {
  return {
    command: process.execPath,
    args: [join(root, 'build', 'test', 'fixtures', 'upstream', 'named-tools.js'), ...tools],
  }
}

export interface RecordingListener {
  readonly url: string
  /** The headers of each request. */
  readonly requests: readonly IncomingHttpHeaders[]
}

/** A loopback address that answers every request with 404. */
export async function listenerForTest(): Promise<RecordingListener> {
  const requests: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    requests.push(request.headers)
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // A listening TCP server has an address of this type.
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/mcp`, requests }
}

export function writeIn(folder: string, path: string, text: string): string {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

export function reference(name: string): string {
  return `\${${name}}`
}

/** The text of a JSON config. */
export function servers(entries: object, more: object = {}): string {
  return JSON.stringify({ discovery: { servers: entries, ...more } })
}

/** The names of the servers that are used in the project folder. */
export async function list(home: CliHome): Promise<string> {
  return (await run(home, ['list', '--quiet'])).stdout
}
