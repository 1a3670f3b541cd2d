import { expect, it } from 'vitest'
import type { ServerConfig } from '../../config/server-config.ts'
import { isSameServer } from './same-server.ts'

const server = (...args: string[]): ServerConfig => ({
  name: 'a',
  connection: { type: 'stdio', command: 'x', args, env: {} },
  enabled: true,
  origin: { source: 'cursor', file: 'mcp.json' },
})

it.each([
  ['under the name that its secret got', `\${A_TOKEN_7}`, 'abc', true],
  ['with the secret still in it', 'abc', 'abc', true],
  ['with the same reference', `\${B}`, `\${B}`, true],
  ['with another reference', `\${B}`, `\${C}`, false],
  ['with another secret', 'abd', 'abc', false],
])('knows a server again %s', (_, own, client, isSame) => {
  expect(isSameServer(server('--token', own), server('--token', client))).toBe(isSame)
})

it('tells programs and arguments apart', () => {
  expect(isSameServer(server('a'), server('a', 'b'))).toBe(false)
  expect(isSameServer(server('a', 'b'), server('a'))).toBe(false)
  const remote: ServerConfig = { ...server(), connection: { type: 'http', url: 'https://a.example', headers: {} } }
  expect(isSameServer(server('https://a.example'), remote)).toBe(false)
  expect(isSameServer(remote, remote)).toBe(true)
})
