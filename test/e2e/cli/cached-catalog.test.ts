// The cached catalog of list, search and tools: it gives the same answers, and is not used after a change.

import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { USAGE_KEY } from '../../../src/crib/usage.ts'
import { pinsKey } from '../../../src/sources/upstream/pins/pin-record.ts'
import { createFileStore } from '../../../src/storage/file.ts'
import { markingConnection, type StoredGateway, storeGateway } from '../../fixtures/stored-gateway.ts'
import { type CliHome, createHome, run } from './harness.ts'

const tool = (name: string, description: string) => ({
  name,
  description,
  inputSchema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
})
const github = {
  name: 'github',
  tools: [tool('create_issue', 'Create a new issue'), tool('delete_repo', 'Delete a repository')],
}
const jira = { name: 'jira', tools: [tool('create_ticket', 'Create a new ticket')] }

describe('the cached catalog', () => {
  let home: CliHome
  let stored: StoredGateway
  const cli = (...args: readonly string[]) => run(home, [...args, '--config', stored.config])
  const dir = () => join(stored.cacheHome, 'toolcrib', 'known')
  const cached = () => (existsSync(dir()) ? readdirSync(dir()).toSorted() : [])
  const catalogFile = () => join(dir(), cached().find((name) => name.endsWith('.catalog')) ?? '')
  const configure = (change: (discovery: Record<string, unknown>) => void) => {
    const config = JSON.parse(readFileSync(stored.config, 'utf8'))
    change(config.discovery)
    writeFileSync(stored.config, JSON.stringify(config))
  }
  /** Shows whether the cache answered: a catalog that is used is not written again. */
  const writtenAt = () => statSync(catalogFile()).mtimeMs

  beforeEach(async () => {
    home = createHome()
    stored = await storeGateway(home.folder, [github, jira])
    home = { ...home, env: { ...home.env, XDG_CACHE_HOME: stored.cacheHome, XDG_STATE_HOME: stored.stateHome } }
  })
  afterEach(async () => {
    expect(existsSync(stored.mark)).toBe(false)
    await home.remove()
  })

  it.each([
    [['search', 'create issue']],
    [['search', 'create', '--json']],
    [['search', 'create', '--limit', '1', '--server', 'jira', '--quiet']],
    [['search', 'create_*', '--json']],
    [['search', 'delete', '--json']],
    [['search', 'zzqqxx']],
    [['search', 'creat isue']],
    [['search', 'create issue', '--explain']],
    [['search', 'create issue', '--explain', '--json']],
    [['search', 'x', '--server', 'nope']],
    [['list']],
    [['list', '--json', '--tools']],
    [['list', '--status']],
    [['tools', 'github', '--json']],
    [['tools', 'github', '--all', '--tags']],
    [['tools', 'githb']],
  ])('the cache answers %j with exactly the same text as the gateway', async (args) => {
    configure((discovery) => {
      discovery.toolRules = [{ pattern: ['*delete*'], enabled: false, tags: ['dangerous'] }]
    })
    const fresh = await cli(...args)
    expect(cached()).toHaveLength(2)
    const before = writtenAt()
    expect(await cli(...args)).toEqual(fresh)
    expect(writtenAt()).toBe(before)
  })

  it('an answer without results suggests a command or flag of the command line instead of a meta-tool', async () => {
    configure((discovery) => {
      discovery.toolRules = [{ pattern: ['*ticket*'], enabled: false }]
    })
    for (const _ of ['the gateway', 'the file']) {
      expect((await cli('search', 'zzqqxx')).stdout).toContain('browse with `toolcrib list --config ~/config.json`.')
      expect((await cli('search', 'zzqqxx', '--json')).stdout).toContain(
        'browse with `toolcrib list --config ~/config.json`.',
      )
      expect((await cli('tools', 'jira')).stdout).toContain('1 tool is disabled by rules; --all lists it.')
    }
  })

  it('the cache is readable only by its user', async () => {
    await cli('list')
    expect(cached().map((name) => statSync(join(dir(), name)).mode & 0o777)).toEqual([0o600, 0o600])
    expect(statSync(dir()).mode & 0o777).toBe(0o700)
  })

  it('the cache answers without loading the rest of the program', async () => {
    const trace = home.write('trace.cjs', "process.on('exit', () => console.error(process.moduleLoadList.join('\\n')))")
    const traced = async () =>
      (await run(home, ['search', 'create issue', '--config', stored.config], { env: { NODE_OPTIONS: `-r ${trace}` } }))
        .stderr
    // Modules that commander and the stores load, and that the quick answer does not need.
    const needless = /^NativeModule (?:child_process|crypto|net)$/m
    expect(await traced()).toMatch(needless)
    expect(await traced()).not.toMatch(needless)
  })

  it('the cache never shows a tool that a new rule disables', async () => {
    expect((await cli('search', 'delete repository', '--quiet')).stdout).toContain('github:delete_repo')
    configure((discovery) => {
      discovery.toolRules = [{ pattern: ['*delete*'], enabled: false }]
    })
    for (const _ of ['the gateway', 'the file']) {
      expect((await cli('search', 'delete repository')).stdout).not.toContain('delete_repo')
      expect((await cli('tools', 'github', '--quiet')).stdout).toBe('create_issue\n')
    }
  })

  it('the cache is updated after the manifest of a server changes', async () => {
    expect((await cli('tools', 'jira', '--quiet')).stdout).toBe('create_ticket\n')
    await storeGateway(home.folder, [github, { ...jira, tools: [tool('close_ticket', 'Close a ticket')] }])
    expect((await cli('tools', 'jira', '--quiet')).stdout).toBe('close_ticket\n')
    expect((await cli('search', 'close ticket', '--quiet')).stdout).toContain('jira:close_ticket')
  })

  /** Writes an entry of the store, as a running gateway does. */
  const setState = async (stateHome: string, key: string, value: unknown) => {
    await using store = createFileStore({ dir: join(stateHome, 'toolcrib', 'store') })
    await store.set(key, value)
  }
  const pinJira = (stateHome: string, hash: string) => {
    const tools = [{ name: 'create_ticket', pinned: { hash, at: 1 } }]
    const key = pinsKey({ name: 'jira', connection: markingConnection(stored.mark) })
    return setState(stateHome, key, { version: 1, server: 'jira', connection: 'x', tools })
  }
  const storePinned = () =>
    storeGateway(home.folder, [github, { ...jira, tools: jira.tools.map((one) => ({ ...one, pin: 'listed' })) }])

  it('the cache is updated after the pins of a server change', async () => {
    await storePinned()
    await pinJira(stored.stateHome, 'listed')
    expect((await cli('list')).stdout).not.toContain('changed')
    await pinJira(stored.stateHome, 'other')
    for (const _ of ['the gateway', 'the file'])
      expect((await cli('list')).stdout).toContain('jira (1 tool, 1 changed)')
  })

  it('the cache of one state folder is not used with another state folder', async () => {
    await storePinned()
    await pinJira(stored.stateHome, 'listed')
    expect((await cli('list')).stdout).not.toContain('changed')
    const other = join(home.folder, 'other-state')
    await pinJira(other, 'other')
    const list = ['list', '--config', stored.config]
    expect((await run(home, list, { env: { XDG_STATE_HOME: other } })).stdout).toContain('1 changed')
  })

  it('the cache ranks with the current call counts', async () => {
    const tools = [tool('send_note', 'Send a note')]
    await storeGateway(home.folder, [
      { name: 'one', tools },
      { name: 'two', tools },
    ])
    const first = async () => (await cli('search', 'send note', '--quiet')).stdout.split('\n')[0]
    await first()
    const before = writtenAt()
    for (const id of ['one:send_note', 'two:send_note', 'one:send_note']) {
      await setState(stored.stateHome, USAGE_KEY, { [id]: { count: 100, at: Date.now() } })
      expect(await first()).toBe(id)
    }
    expect(writtenAt()).toBe(before)
  })

  it('the cached catalog is kept after an edit that changes no server and no rule', async () => {
    await cli('list')
    const before = writtenAt()
    writeFileSync(stored.config, `${readFileSync(stored.config, 'utf8')}\n\n`)
    expect((await cli('list', '--quiet')).stdout).toBe('github\njira\n')
    expect(writtenAt()).toBe(before)
    expect(cached()).toHaveLength(2)
  })

  it('the cached catalog is written again if it is damaged, truncated or not a catalog', async () => {
    const { stdout } = await cli('search', 'create issue')
    const whole = readFileSync(catalogFile())
    const spoil = [
      () => truncateSync(catalogFile(), 100),
      () => writeFileSync(catalogFile(), 'not a catalog'),
      // A byte in the numbers of the index.
      () =>
        writeFileSync(
          catalogFile(),
          whole.map((byte, at) => (at === whole.length - 4_000 ? byte ^ 0xff : byte)),
        ),
    ]
    for (const damage of spoil) {
      damage()
      const damaged = readFileSync(catalogFile())
      expect((await cli('search', 'create issue')).stdout).toBe(stdout)
      expect(readFileSync(catalogFile()).length).toBe(whole.length)
      expect(readFileSync(catalogFile()).equals(damaged)).toBe(false)
    }
    writeFileSync(join(dir(), cached().find((name) => name.endsWith('.pointer')) ?? ''), '{"catalog": "../../x"}')
    expect((await cli('search', 'create issue')).stdout).toBe(stdout)
  })

  it('the cache answers searches with the configured ranker if the index of that ranker can be saved', async () => {
    configure((discovery) => {
      discovery.search = { ranker: 'bm25' }
    })
    const first = await cli('search', 'new gadget', '--quiet')
    expect(first.stdout).toContain('github:create_issue')
    const before = writtenAt()
    expect(await cli('search', 'new gadget', '--quiet')).toEqual(first)
    expect(writtenAt()).toBe(before)
    expect(cached()).toHaveLength(2)
  })

  it('the cache answers listings but not searches if the index of the ranker cannot be saved', async () => {
    await cli('search', 'new issue')
    configure((discovery) => {
      discovery.search = { ranker: 'words' }
    })
    const tools = await cli('tools', 'github')
    const before = writtenAt()
    for (const _ of ['the first search', 'the second search']) {
      expect((await cli('search', 'new issue', '--quiet')).stdout).toBe('github:create_issue\n')
      // bm25f would find both tools with `new`.
      expect((await cli('search', 'new gadget', '--quiet')).stdout).toBe('')
    }
    expect(await cli('tools', 'github')).toEqual(tools)
    expect(writtenAt()).toBe(before)
  })

  it('discovery.cache.enabled false writes no cache and removes an existing one', async () => {
    await cli('list')
    expect(cached()).toHaveLength(2)
    configure((discovery) => {
      discovery.cache = { enabled: false }
    })
    expect((await cli('list', '--quiet')).stdout).toBe('github\njira\n')
    expect(cached()).toEqual([])
  })

  it('no cache is written for a config module', async () => {
    const { type: _type, ...entry } = markingConnection(stored.mark)
    const config = home.write(
      'config.mjs',
      `export default ${JSON.stringify({ discovery: { servers: { jira: entry } } })}`,
    )
    expect((await run(home, ['list', '--quiet', '--config', config])).stdout).toBe('jira\n')
    expect(cached()).toEqual([])
  })

  it('the cache of one folder is not used in another folder, which can add its own servers after an approval', async () => {
    await cli('list')
    const elsewhere = { cwd: join(home.folder, 'other') }
    const list = async () => (await run(home, ['list', '--quiet'], elsewhere)).stdout
    const own = home.write('other/toolcrib.config.json', readFileSync(stored.config, 'utf8'))
    expect(await list()).toBe('')
    expect((await run(home, ['trust', '--yes'], elsewhere)).code).toBe(0)
    expect(await list()).toBe('github\njira\n')
    expect(await list()).toBe('github\njira\n')
    writeFileSync(own, ' ', { flag: 'a' })
    expect(await list()).toBe('')
  })
})
