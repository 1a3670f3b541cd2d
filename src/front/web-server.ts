// Creates the HTTP or HTTPS server of the front door. The server reads a changed certificate without a restart.

import { readFile } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { HttpAddress } from '../config/http-settings.ts'
import { watchConfig } from '../config/watch.ts'
import { raise } from '../core/errors.ts'
import { messageOf } from '../core/text.ts'

interface WebServer {
  readonly server: Pick<Server, 'listen' | 'address' | 'once' | 'on' | 'off' | 'close'> &
    Pick<Server, 'closeIdleConnections' | 'closeAllConnections'>
  /** Ends the watch of the certificate. */
  unwatch(): void
}

/** `onProblem` gets the reason if a changed certificate cannot be used. The last valid one stays in use. */
export async function createWebServer(
  tls: HttpAddress['tls'],
  listener: RequestListener,
  onProblem: (error: Error) => void,
): Promise<WebServer> {
  if (tls === undefined) return { server: createServer(listener), unwatch() {} }
  // Imported only when needed.
  const [https, { createSecureContext }] = await Promise.all([import('node:https'), import('node:tls')])
  const { cert, key } = tls
  const read = async () => {
    const files = { cert: await readFile(cert), key: await readFile(key) }
    // Throws if a file is not valid, or if the key belongs to another certificate.
    createSecureContext(files)
    return files
  }
  const first = await read().catch((error: unknown) =>
    raise('INVALID_OPTIONS', {
      what: 'http.tls',
      reason: messageOf(error),
      todo: 'Name a certificate and its private key in PEM format, in files that this process can read.',
    }),
  )
  const server = https.createServer(first, listener)
  const watch = watchConfig([cert, key], async () => server.setSecureContext(await read()), {
    onError: (error) =>
      onProblem(new Error(`http.tls: the changed certificate is not used, the last one stays: ${messageOf(error)}`)),
  })
  return { server, unwatch: () => watch.close() }
}
