// Servers that cannot start: the failures that commands store, and the output for servers that were never started.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type StoredGateway, storeGateway } from '../../fixtures/stored-gateway.ts'
import { type CliHome, connect, createHome, run } from './harness.ts'

const schema = { type: 'object' } as const
const tool = (name: string) => ({ name, description: `The tool ${name}.`, inputSchema: schema })
const stored = ['one', 'two', 'three', 'four', 'five'].map((name) => ({ name, tools: [tool(`${name}_find`)] }))

let home: CliHome
let gateway: StoredGateway

beforeEach(async () => {
  home = createHome()
  gateway = await storeGateway(home.folder, stored)
  home = { ...home, env: { ...home.env, XDG_CACHE_HOME: gateway.cacheHome, XDG_STATE_HOME: gateway.stateHome } }
})
afterEach(() => home.remove())

const cli = (...args: readonly string[]) => run(home, [...args, '--config', gateway.config])
const json = async (...args: readonly string[]) => JSON.parse((await cli(...args, '--json')).stdout)
/** The servers that `search` reports as not started. */
const notStarted = async () => {
  const { stderr } = await cli('search', 'find')
  return /could not be started: (.*?)\./.exec(stderr)?.[1]?.split(', ').toSorted().join(', ')
}
const server = async (name: string) =>
  (await json('list')).servers.find((one: { readonly name: string }) => one.name === name)

function edit(change: (discovery: Record<string, unknown>, servers: Record<string, unknown>) => void): void {
  const config = JSON.parse(readFileSync(gateway.config, 'utf8'))
  change(config.discovery, config.discovery.servers)
  writeFileSync(gateway.config, JSON.stringify(config))
}
const startCount = () => {
  try {
    return readFileSync(gateway.mark, 'utf8').trim().split('\n').length
  } catch {
    return 0
  }
}

describe('a search beside servers that cannot start', () => {
  it('search answers from the cache once failed starts are stored, even if a variable is not set', async () => {
    edit((_, servers) => {
      servers.unset = { command: 'anything', env: { TOKEN: `\${NOT_SET_ANYWHERE}` } }
      servers.gone = { command: 'no-such-program-anywhere' }
    })
    const first = await json('search', 'find')
    expect(await notStarted()).toBe('gone, unset')
    const cached = readdirSync(join(gateway.cacheHome, 'toolcrib', 'known'))
    expect(cached.filter((name) => name.endsWith('.catalog'))).toHaveLength(1)
    expect(await json('search', 'find')).toEqual(first)
    // After the variable is set, the server no longer counts as failed.
    const withToken = { ...home, env: { ...home.env, NOT_SET_ANYWHERE: 'x' } }
    const listed = await run(withToken, ['list', '--json', '--config', gateway.config])
    const { servers } = JSON.parse(listed.stdout)
    expect(servers.find(({ name }: { readonly name: string }) => name === 'unset')).toMatchObject({ status: 'unknown' })
  })

  it('search --server reports no failed start of another server', async () => {
    edit((_, servers) => {
      servers.unset = { command: 'anything', env: { TOKEN: `\${NOT_SET_ANYWHERE}` } }
    })
    // The first search opens a session, the second answers from the cache, and --verbose bypasses the cache.
    for (const more of [[], [], ['--verbose']]) {
      const { stdout, stderr } = await cli('search', 'find', '--server', 'one', '--json', ...more)
      expect(JSON.parse(stdout)).not.toHaveProperty('unreached')
      expect(stderr).not.toContain('could not be started')
    }
    expect(await json('search', 'find', '--server', 'unset')).toMatchObject({ unreached: ['unset'] })
  })
})

describe('a search without results', () => {
  it('search never reports a server that could not be started as still starting', async () => {
    edit((discovery) => {
      discovery.servers = { gone: { command: 'no-such-program-anywhere' } }
    })
    // The first search starts the server, the second finds the stored failure, the third answers from the cache.
    for (const _ of [1, 2, 3]) {
      expect(await json('search', 'zzzqqq')).toMatchObject({
        reason: "Could not be started: 'gone'.",
        unreached: ['gone'],
      })
    }
  })
})

describe('a search without results, for people', () => {
  it('search names a server that could not be started once, with the command that shows why', async () => {
    edit((discovery) => {
      discovery.servers = { gone: { command: 'no-such-program-anywhere' } }
    })
    // The first search starts the server, the second finds the stored failure, the third answers from the cache.
    for (const _ of [1, 2, 3]) {
      const { stdout, stderr } = await cli('search', 'zzzqqq')
      expect(stdout).toContain('\n\n1 server could not be started: gone. `toolcrib doctor --config ')
      expect((stdout + stderr).match(/gone/g)).toHaveLength(1)
      expect(stdout).not.toContain('Nothing fits')
    }
  })
})

describe('a failed start', () => {
  it('list shows that a server failed to start for execute, even if its tools are cached', async () => {
    expect(await server('one')).toMatchObject({ status: 'known' })
    expect((await cli('execute', 'one', 'one_find')).code).toBe(3)
    expect(await server('one')).toMatchObject({
      status: 'disconnected',
      toolCount: 1,
      reason: expect.stringContaining('exited'),
    })
    expect(await server('two')).toMatchObject({ status: 'known' })
  })

  it('list shows that a server failed to start for doctor, and search does not start that server again', async () => {
    edit((_, servers) => {
      servers.six = { ...(servers.one as object), args: [...(servers.one as { args: string[] }).args, 'six'] }
    })
    expect((await cli('doctor', 'six')).code).toBe(3)
    expect(await server('six')).toMatchObject({ status: 'disconnected', reason: expect.stringContaining('exited') })
    const before = startCount()
    expect(await notStarted()).toBe('six')
    expect(startCount()).toBe(before)
  })
})

describe('a server that was never started', () => {
  it('a server that was never started has no toolCount in list and no tool count in config show', async () => {
    edit((discovery) => {
      discovery.servers = { new: { command: 'no-such-program-anywhere' } }
    })
    expect(await server('new')).toEqual({ name: 'new', status: 'unknown' })
    const shown = await json('config', 'show')
    expect(shown.servers).toEqual({ configured: 1, connected: 0, unasked: 1 })
    expect(shown).not.toHaveProperty('tools')
    expect((await cli('config', 'show')).stdout).toContain('Tools: not known, 1 server has not listed its tools')
  })

  it('config show counts servers that were never started beside the known tools', async () => {
    edit((_, servers) => {
      servers.new = { command: 'no-such-program-anywhere' }
    })
    expect((await json('config', 'show')).tools).toEqual({ total: 5, enabled: 5 })
    expect((await cli('config', 'show')).stdout).toContain(
      'Tools: 5 total, 5 enabled, and 1 server has not listed its tools',
    )
  })
})

describe('a config with discovery.enabled false', () => {
  it('list, search, tools, doctor and inspect give discovery.enabled false as the reason that there are no servers', async () => {
    edit((discovery) => {
      discovery.enabled = false
    })
    const reason = 'Discovery is disabled: discovery.enabled is false'
    for (const words of [['list'], ['search', 'find'], ['tools', 'one'], ['doctor'], ['inspect', 'one', 'x']]) {
      const { stdout, stderr } = await cli(...words)
      expect(`${words}: ${stdout}${stderr}`.replace(/\s+/g, ' ')).toContain(reason)
    }
    expect((await json('list')).reason).toContain(reason)
    expect((await cli('config', 'show')).stdout).toContain('Status: Disabled')
  })
})

describe('a client file that cannot be read', () => {
  it('status, list, serve and the agent name the file and the line, and the command that lists all errors', async () => {
    const empty = createHome()
    try {
      empty.write('.cursor/mcp.json', '{\n "mcpServers": { bad')
      const reason =
        'No server is in use. ~/.cursor/mcp.json is not used: Not valid JSON: invalid symbol (line 2, column '
      const listed = (await run(empty, ['list'])).stdout.replaceAll(/\s+/g, ' ')
      expect(listed).toContain(reason)
      expect((await run(empty, ['status'])).stdout).toContain('Next: toolcrib config validate\n')
      const client = await connect(empty)
      const { content } = await client.callTool({ name: 'list_mcp_servers', arguments: {} })
      await client.close()
      expect(JSON.stringify(content)).toMatch(/No server is in use\. .*mcp\.json is not used: Not valid JSON/)
    } finally {
      await empty.remove()
    }
  })
})
