// `toolcrib add` of a remote server that refuses the connection: what to type next.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createCertificate } from '../../team/certificate.ts'
import { createHome, run } from './harness.ts'

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}

function homeForTest() {
  const home = createHome()
  onTestFinished(() => home.remove())
  return home
}

it('add names NODE_EXTRA_CA_CERTS if the certificate of the server is self-signed, and that variable helps', async () => {
  const home = homeForTest()
  const { cert, key } = createCertificate(join(home.folder, 'self'), 'localhost')
  const tls = { cert: readFileSync(cert), key: readFileSync(key) }
  const port = await portOf(createTlsServer(tls, (_, response) => response.writeHead(418).end()))
  const words = ['add', 'team', `https://localhost:${port}/mcp`, '--yes', '--json']
  const refused = JSON.parse((await run(home, words)).stdout)
  expect(refused.error.message).toContain('self-signed certificate')
  expect(refused.error.suggestion).toContain('Set the variable NODE_EXTRA_CA_CERTS to a PEM file')
  const trusted = JSON.parse((await run(home, words, { env: { NODE_EXTRA_CA_CERTS: cert } })).stdout)
  expect(trusted.error.message).toContain('HTTP 418')
})

it.each(['http', 'sse'])(
  'add over %s names --header if the server answers with 401 and describes no login',
  async (type) => {
    const home = homeForTest()
    const port = await portOf(createServer((_, response) => response.writeHead(401).end()))
    const ran = await run(home, ['add', 'team', `http://127.0.0.1:${port}/mcp`, '--type', type, '--yes', '--json'])
    const { error } = JSON.parse(ran.stdout)
    expect(error.message).toContain('it requires an authorization that its config does not have (HTTP 401)')
    expect(error.suggestion).toContain("add --header 'Authorization: Bearer TOKEN'")
  },
)

it.each(['http', 'sse'])('add over %s says that the server refuses the value of --header with 401', async (type) => {
  const home = homeForTest()
  const port = await portOf(createServer((_, response) => response.writeHead(401).end()))
  const header = ['--header', 'authorization: Bearer wrong-token-0123456789']
  const words = ['add', 'team', `http://127.0.0.1:${port}/mcp`, '--type', type, ...header, '--yes', '--json']
  const { stdout, stderr } = await run(home, words)
  const { error } = JSON.parse(stdout)
  expect(error.message).toBe(
    "Server 'team' is not available: it refuses the value of the header 'Authorization' (HTTP 401)",
  )
  expect(error.suggestion).toBe(
    "Nothing was written. Correct the value in --header 'Authorization: VALUE', or the address.",
  )
  expect(stdout + stderr).not.toContain('wrong-token')
})
