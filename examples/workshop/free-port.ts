// Finds the next free port.

import { once } from 'node:events'
import { createServer } from 'node:net'

const MAX_TRIES = 50

export async function nextFreePort(after: number, host: string): Promise<number | undefined> {
  for (let port = after + 1; port <= Math.min(after + MAX_TRIES, 65_535); port += 1) {
    if (await isFree(port, host)) return port
  }
  return undefined
}

async function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer().listen(port, host)
  try {
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
