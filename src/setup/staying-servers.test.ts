// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are references in configs, not templates

import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Connection, ServerConfig } from '../config/server-config.ts'
import { readEnvironment } from './environment.ts'
import { boundToFolder, unusableRemotes } from './staying-servers.ts'

const serverOf = (name: string, connection: Connection, more: Partial<ServerConfig> = {}): ServerConfig => ({
  name,
  connection,
  enabled: true,
  origin: { source: 'cursor', file: '/mcp.json', path: `mcpServers.${name}` },
  ...more,
})
const program: Connection = { type: 'stdio', command: 'x', args: [], env: {} }
const at = (url: string): Connection => ({ type: 'http', url, headers: {} })

function job(env: Readonly<Record<string, string>> = {}) {
  const stateDir = mkdtempSync(join(tmpdir(), 'toolcrib-staying-'))
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }))
  return { environment: { ...readEnvironment(), stateDir, env }, signal: new AbortController().signal }
}

it('names the servers that depend on the open folder of the client, with the variables', () => {
  const folderVariables = ['${workspaceFolder}']
  const servers = [serverOf('plain', program), serverOf('bound', program, { folderVariables })]
  expect(boundToFolder(servers)).toEqual([
    {
      name: 'bound',
      path: 'mcpServers.bound',
      reason: 'only the client knows its open folder (${workspaceFolder})',
    },
  ])
})

it('probes all remote servers at the same time, and reports neither programs nor servers with an unset variable', async () => {
  const names = ['a', 'b', 'c', 'd']
  const waiting: ServerResponse[] = []
  const http = createServer((request, response) => {
    if (request.url !== '/mcp') return response.writeHead(404).end()
    waiting.push(response)
    // Answers when every server has got its request.
    if (waiting.length === names.length) for (const one of waiting) one.writeHead(401).end()
    return undefined
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => http.once('listening', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/` // it listens on a port
  const servers = [
    ...names.map((name) => serverOf(name, at('${BASE}mcp'))),
    serverOf('local', program),
    serverOf('unset', at('${MISSING}/mcp')),
  ]
  const staying = await unusableRemotes(job({ BASE: url }), servers, servers, 20_000)
  expect(staying.map(({ name }) => name)).toEqual(names)
  expect(staying[0]?.reason).toBe('it refuses requests (HTTP 401) and describes no login')
})

it('names the command of the login with the name in our config', async () => {
  const http = createServer((request, response) => {
    const origin = `http://${request.headers.host}`
    const challenge = { 'www-authenticate': `Bearer resource_metadata="${origin}/meta"` }
    response.writeHead(401, challenge).end()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => http.once('listening', resolve))
  onTestFinished(() => {
    http.close()
  })
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/` // it listens on a port
  const written = serverOf('docs', at(url))
  const renamed = { ...written, name: 'docs-cursor', writtenName: 'docs' }
  expect(await unusableRemotes(job(), [written], [renamed])).toEqual([
    { name: 'docs', path: 'mcpServers.docs', reason: 'it needs a login', command: 'toolcrib login docs-cursor' },
  ])
})

it('says that the login with client credentials has failed if the server needs one and the config has a wrong one', async () => {
  const http = createServer((request, response) => {
    response.writeHead(request.url === '/mcp' ? 401 : 404).end()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => http.once('listening', resolve))
  onTestFinished(() => {
    http.close()
  })
  const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}` // it listens on a port
  const auth = { grant: 'client_credentials', clientId: 'robot', clientSecret: 'wrong', issuer: origin } as const
  const servers = [serverOf('docs', { type: 'http', url: `${origin}/mcp`, headers: {}, auth })]
  expect(await unusableRemotes(job(), servers, servers)).toEqual([
    { name: 'docs', path: 'mcpServers.docs', reason: 'the login with the client credentials in its config failed' },
  ])
})

it('leaves an unreachable server in the client, and does not fail, if the logins cannot be read', async () => {
  const given = job()
  const folder = join(given.environment.stateDir, 'logins')
  // A link to itself is a path that exists and cannot be read, also for root.
  symlinkSync(folder, folder)
  const servers = [serverOf('away', at('http://127.0.0.1:1/mcp'))]
  expect(await unusableRemotes(given, servers, servers)).toEqual([
    { name: 'away', path: 'mcpServers.away', reason: expect.stringContaining('it cannot be reached now') },
  ])
})
