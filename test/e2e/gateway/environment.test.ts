// The environment that a server process gets from `serve`, and what is withheld from it.

import { chmodSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fixture } from '../../../src/sources/upstream/upstream.fixture.ts'
import type { GatewayClient } from './client.ts'
import { gatewayForTest } from './harness.ts'
import { homeForTest } from './home.ts'
import { everything, withEnv } from './servers.ts'

const reference = (name: string) => `\${${name}}`

/** The variables that a server sees, without those that every process in a test home has. */
async function variablesOf(client: GatewayClient, server: string): Promise<Record<string, string>> {
  const { content } = await client.run({ server, tool: 'get-env' })
  const [first] = content
  const all: Record<string, string> = JSON.parse(first?.type === 'text' ? first.text : '')
  const homeVariables = ['PATH', 'HOME', 'TMPDIR', 'TOOLCRIB_WITHIN', 'SHELL', 'TERM', 'USER', 'LOGNAME', 'LANG']
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => !homeVariables.includes(name) && !name.startsWith('XDG_')),
  )
}

const env = {
  HTTPS_PROXY: 'http://proxy.example:8080',
  AWS_PROFILE: 'dev',
  AWS_REGION: 'eu-1',
  GITHUB_TOKEN: 'token-of-github',
  CLIENT_TOKEN: 'token-of-a-client-0123456789',
  IN_BOTH: 'set-in-the-environment',
  TOOLCRIB_TOKEN: 'own',
}

describe('the environment of a server behind serve', () => {
  it('a server inherits the variables of the gateway, except secrets and those that only other parts of the config refer to', async () => {
    const home = homeForTest()
    const secrets = home.write('config/toolcrib/secrets.env', 'STORED=stored-secret\nIN_BOTH=stored-too\n')
    chmodSync(secrets, 0o600)
    const config = {
      http: { tokens: { alice: reference('CLIENT_TOKEN') } },
      discovery: {
        servers: {
          plain: everything(),
          github: withEnv(everything(), { TOKEN: reference('GITHUB_TOKEN'), STORED_AS: reference('STORED') }),
          off: {
            ...withEnv(everything(), { P: reference('HTTPS_PROXY'), R: reference('AWS_REGION') }),
            enabled: false,
          },
        },
      },
    }
    const gateway = await gatewayForTest({ config, env, home })
    // The proxy is an exception: every server gets it, although only another server refers to it.
    const client = await gateway.connect()
    expect(await variablesOf(client, 'plain')).toEqual({
      HTTPS_PROXY: 'http://proxy.example:8080',
      AWS_PROFILE: 'dev',
    })
    expect(await variablesOf(client, 'github')).toEqual({
      HTTPS_PROXY: 'http://proxy.example:8080',
      AWS_PROFILE: 'dev',
      GITHUB_TOKEN: 'token-of-github',
      TOKEN: 'token-of-github',
      STORED_AS: 'stored-secret',
    })
  })

  it('the environment of a server follows inheritEnv of the config and of the server, before and after an edit', async () => {
    const servers = {
      few: everything(),
      some: { connection: { ...everything().connection, inheritEnv: ['AWS_*'] } },
      all: { ...everything().connection, inheritEnv: true },
    }
    const gateway = await gatewayForTest({ config: { inheritEnv: false, discovery: { servers } }, env })
    const client = await gateway.connect()
    expect(await variablesOf(client, 'few')).toEqual({})
    expect(await variablesOf(client, 'some')).toEqual({ AWS_PROFILE: 'dev', AWS_REGION: 'eu-1' })
    expect(await variablesOf(client, 'all')).toHaveProperty('HTTPS_PROXY')
    gateway.edit({ inheritEnv: ['HTTPS_PROXY'], discovery: { servers } })
    await expect.poll(() => variablesOf(client, 'few'), { timeout: 20_000 }).toEqual({ HTTPS_PROXY: env.HTTPS_PROXY })
  })

  it('the gateway redacts an inherited secret that the server prints', async () => {
    const config = { discovery: { servers: { crash: { connection: { ...fixture('crash-on-start') } } } } }
    const gateway = await gatewayForTest({ config, env: { API_KEY: 'inherited-key-0123' } })
    const client = await gateway.connect()
    const answer = JSON.stringify(await client.ask('list_tools', { server: 'crash' }))
    expect(answer).toContain('the key [redacted] was refused')
    expect(answer + gateway.stderr).not.toContain('inherited-key-0123')
  })
})

describe('variables that make a program load other code', () => {
  it('a server with a value for NODE_OPTIONS in env or in its env file does not start, unless allowEnv names the variable', async () => {
    const home = homeForTest()
    const envFile = home.write('server.env', 'NODE_OPTIONS=--no-warnings\n')
    const bad = withEnv(everything(), { NODE_OPTIONS: '--no-warnings' })
    const config = {
      discovery: {
        servers: {
          refused: bad,
          filed: { connection: { ...everything().connection, envFile } },
          allowed: { connection: { ...bad.connection, allowEnv: ['NODE_OPTIONS'] } },
          emptied: withEnv(everything(), { NODE_OPTIONS: '' }),
        },
      },
    }
    const gateway = await gatewayForTest({ config, home, env: { NODE_OPTIONS: '--no-deprecation' } })
    const client = await gateway.connect()
    for (const server of ['refused', 'filed']) {
      const answer = JSON.stringify(await client.run({ server, tool: 'get-env' }))
      expect(answer).toContain("sets 'NODE_OPTIONS', which makes programs load other code")
      expect(answer).toContain("allowEnv: ['NODE_OPTIONS']")
      expect(answer).toContain('calling again does not help')
    }
    expect(gateway.stderr).toContain("'refused' does not start: its config sets 'NODE_OPTIONS'")
    expect(await variablesOf(client, 'allowed')).toEqual({ NODE_OPTIONS: '--no-warnings' })
    expect(await variablesOf(client, 'emptied')).toEqual({ NODE_OPTIONS: '' })
  })
})
