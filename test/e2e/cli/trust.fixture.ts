// Folders that bring a config along: one that is code and leaves a mark when it runs, and a listener that counts.

import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createHome, type Home, root, run } from './harness.ts'

export interface MarkedHome extends Home {
  /** Whether the code has run since it was last asked. */
  hasRun(): boolean
  /** The text of a config that leaves a mark when it runs. */
  code(config?: object): string
}

export function markedHome(): MarkedHome {
  const home = createHome()
  onTestFinished(() => home.remove())
  const mark = join(home.folder, 'mark')
  let asked = 0
  return {
    ...home,
    code(config = { discovery: { servers: { coded: namedTools('a') } } }) {
      asked += 1
      const file = JSON.stringify(`${mark}-${asked}`)
      return `import { writeFileSync } from 'node:fs'\nwriteFileSync(${file}, 'ran')\nexport default ${JSON.stringify(config)}\n`
    },
    hasRun: () => Array.from({ length: asked }, (_, at) => `${mark}-${at + 1}`).some((file) => existsSync(file)),
  }
}

/** The command line of a server that has these tools. */
export function namedTools(...tools: readonly string[]) {
  return {
    command: process.execPath,
    args: [join(root, 'build', 'test', 'fixtures', 'upstream', 'named-tools.js'), ...tools],
  }
}

export interface Listener {
  readonly url: string
  /** The headers of each request that came. */
  readonly requests: readonly IncomingHttpHeaders[]
}

/** An address on loopback that answers everything with 404. */
export async function listenerForTest(): Promise<Listener> {
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
  // A TCP server has an address of this kind once it listens.
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
  return '$'.concat(`{${name}}`)
}

/** The text of a data file. */
export function servers(entries: object, more: object = {}): string {
  return JSON.stringify({ discovery: { servers: entries, ...more } })
}

/** The names of the servers that are used in the project's folder. */
export async function list(home: Home): Promise<string> {
  return (await run(home, ['list', '--quiet'])).stdout
}
