import { describe, expect, it } from 'vitest'
import type { Connection, ServerConfig } from '../config/server-config.ts'
import { withheldVariables } from './server-secrets.ts'

const reference = (name: string) => '$'.concat(`{${name}}`)
const server = (name: string, connection: Connection, enabled = true): ServerConfig => ({
  name,
  connection,
  enabled,
  origin: { source: 'config', file: 'c.json' },
})
const stdio = (...names: readonly string[]): Connection => ({
  type: 'stdio',
  command: 'x',
  args: names.map(reference),
  env: {},
})
const http = (name: string): Connection => ({
  type: 'http',
  url: 'https://a.example',
  headers: { Authorization: `Bearer ${reference(name)}` },
})
const NONE = { secretNames: [], tokens: [] }

describe('withheldVariables', () => {
  it('withholds variables that only other servers refer to, including disabled servers and servers over HTTP', () => {
    const servers = [
      server('a', stdio('SHARED', 'MINE')),
      server('b', stdio('SHARED', 'THEIRS')),
      server('c', http('HEADER')),
      server('d', stdio('OFF'), false),
    ]
    expect(new Set(withheldVariables(servers, NONE)('a'))).toEqual(new Set(['THEIRS', 'HEADER', 'OFF']))
    expect(new Set(withheldVariables(servers, NONE)('c'))).toEqual(new Set(['SHARED', 'MINE', 'THEIRS', 'OFF']))
  })

  it('withholds the names of secrets.env and of client tokens, even if the server refers to them', () => {
    const own = { secretNames: ['STORED'], tokens: [reference('ALICE'), 'literal'] }
    expect(withheldVariables([server('a', stdio('STORED', 'ALICE'))], own)('a')).toEqual(['STORED', 'ALICE'])
  })

  it('does not withhold proxies and certificates, which every server needs', () => {
    const shared = stdio('HTTPS_PROXY', 'no_proxy', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'TOKEN')
    expect(withheldVariables([server('a', stdio()), server('b', shared)], NONE)('a')).toEqual(['TOKEN'])
  })
})
