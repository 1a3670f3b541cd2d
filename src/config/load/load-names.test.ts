import { describe, expect, it } from 'vitest'
import { PARENT_CONFIGS } from '../self.ts'
import { tempFolder } from '../temp-folder.fixture.ts'
import { load } from './load.fixture.ts'

const github = (STAGE: string, more: object = {}) => ({
  mcpServers: { github: { command: 'serve-github', env: { STAGE }, ...more } },
})
const stagesOf = ({ servers }: Awaited<ReturnType<typeof load>>) =>
  Object.fromEntries(
    servers.map(({ name, connection }) => [name, connection.type === 'stdio' ? connection.env.STAGE : undefined]),
  )

describe('loadConfig with two servers of one name', () => {
  const clients = () => {
    const folder = tempFolder()
    folder.write('home/.cursor/mcp.json', github('production', { disabledTools: ['drop'] }))
    folder.write('home/.claude.json', github('staging', { disabledTools: ['push'] }))
    folder.write('home/more.json', github('test'))
    return folder
  }
  const SERVED = { github: 'staging', 'github-cursor': 'production', 'github-custom': 'test' }

  it('serves both servers of one name if there are two clients and no config file', async () => {
    const { 'github-custom': _, ...withoutCustom } = SERVED
    expect(stagesOf(await load(clients()))).toEqual(withoutCustom)
  })

  it('renames the same servers for any order of the sources', async () => {
    const sources = [{ type: 'claude-code' }, { type: 'cursor' }, { type: 'custom', path: '~/more.json' }]
    const orders = [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ]
    const folder = clients()
    for (const order of orders) {
      folder.write('home/.toolcrib/config.json', { discovery: { sources: order.map((at) => sources[at]) } })
      const loaded = await load(folder)
      expect(stagesOf(loaded)).toEqual(SERVED)
      expect(loaded.rules.map(({ server, pattern }) => [server, ...pattern])).toEqual([
        ['github', 'push'],
        ['github-cursor', 'drop'],
      ])
    }
  })

  it('merges two servers of one name if a reference in our config resolves to the value of the client', async () => {
    const folder = clients()
    const reference = `\${STAGE}`
    folder.write('home/.toolcrib/config.json', {
      discovery: { servers: github(reference).mcpServers, sources: [{ type: 'cursor' }] },
    })
    expect(stagesOf(await load(folder, { env: { STAGE: 'production' } }))).toEqual({ github: reference })
    const other = await load(folder, { env: { STAGE: 'test' } })
    expect(stagesOf(other)).toEqual({ github: reference, 'github-cursor': 'production' })
  })

  it('merges the server of a client with its entry in our config, if the entry has the name that the server would get', async () => {
    const folder = clients()
    const taken = { 'github-cursor': { command: 'serve-github', env: { STAGE: 'production' } } }
    const sources = [{ type: 'claude-code' }, { type: 'cursor' }]
    folder.write('home/.toolcrib/config.json', { discovery: { servers: taken, sources } })
    expect(stagesOf(await load(folder))).toEqual({ github: 'staging', 'github-cursor': 'production' })
  })
})

describe('loadConfig with an entry that starts a gateway', () => {
  const other = (config: string) => ({ command: 'toolcrib', args: ['serve', '--config', config] })

  it('uses another gateway if our config names it and it has another config', async () => {
    const folder = tempFolder()
    const file = folder.write('home/.toolcrib/config.json', {
      discovery: {
        servers: {
          team: other('/team.json'),
          again: other(folder.at('home/.toolcrib/config.json')),
          found: { command: 'npx', args: ['toolcrib'] },
        },
      },
    })
    const { servers, problems } = await load(folder)
    expect(servers.map(({ name }) => name)).toEqual(['team'])
    expect(problems).toMatchObject([
      { file, path: 'discovery.servers.again', severity: 'warning', isAboutServing: true },
      { file, path: 'discovery.servers.found', severity: 'warning', isAboutServing: true },
    ])
    expect(problems[0]?.message).toBe(
      "'again' is left out: it starts a gateway with a config that this gateway, or a gateway above it, already uses, so gateways would start each other without end. Give it another config with --config, or remove it",
    )
  })

  it('uses another gateway if this one has an explicit config and the other one finds its own', async () => {
    const folder = tempFolder()
    const explicit = folder.write('work/mine.json', {
      discovery: { servers: { mine: { command: 'npx', args: ['toolcrib'] } } },
    })
    expect((await load(folder, { explicit })).servers.map(({ name }) => name)).toEqual(['mine'])
  })

  it('leaves a gateway out with a warning if it has started this one', async () => {
    const folder = tempFolder()
    const explicit = folder.write('work/b.json', {
      discovery: { servers: { a: other('/a.json'), c: other('/c.json') } },
    })
    const { servers, problems } = await load(folder, { explicit, env: { [PARENT_CONFIGS]: '["/a.json"]' } })
    expect(servers.map(({ name }) => name)).toEqual(['c'])
    expect(problems).toMatchObject([{ path: 'discovery.servers.a', severity: 'warning' }])
  })

  it('leaves out an entry at the address of this gateway, and says that its address is the reason', async () => {
    const folder = tempFolder()
    const url = 'http://localhost:3100/mcp'
    folder.write('home/.toolcrib/config.json', { discovery: { servers: { itself: { url } } } })
    const { servers, problems } = await load(folder, { ownUrls: () => ['http://127.0.0.1:3100/mcp'] })
    expect(servers).toEqual([])
    expect(problems.map(({ message }) => message)).toEqual([
      "'itself' is left out: it leads to the address of this gateway. Remove it",
    ])
  })

  /** Gateways with a config that cannot be known from here. */
  const inFolder = { command: 'toolcrib', args: ['serve'], cwd: '/srv' }
  const inContainer = { command: 'docker', args: ['run', '-i', 'toolcrib'] }
  /** The variables of a gateway that the gateway with this config started. */
  const nestedIn = (config: string) => ({ env: { [PARENT_CONFIGS]: JSON.stringify([config]) } })

  it('does not start gateways without end if our config names one in another folder', async () => {
    const folder = tempFolder()
    const file = folder.write('home/.toolcrib/config.json', { discovery: { servers: { inFolder, inContainer } } })
    expect((await load(folder)).servers.map(({ name }) => name)).toEqual(['inFolder', 'inContainer'])
    const { servers, problems } = await load(folder, nestedIn(file))
    expect(servers.map(({ name }) => name)).toEqual(['inContainer'])
    expect(problems).toMatchObject([{ path: 'discovery.servers.inFolder', severity: 'warning', isAboutServing: true }])
  })

  describe('in the file of a client', () => {
    const withClient = (mcpServers: Readonly<Record<string, object>>) => {
      const folder = tempFolder()
      folder.write('home/.cursor/mcp.json', { mcpServers })
      return folder
    }
    const reportsOf = ({ problems }: Awaited<ReturnType<typeof load>>) =>
      problems.map(({ severity, message, isAboutServing = false }) => [severity, isAboutServing, message])

    it('leaves out an entry of a client that is named `toolcrib`, with a warning if it has another config', async () => {
      for (const usual of [{ command: 'toolcrib' }, { command: 'my-wrapper' }, inFolder, inContainer]) {
        const loaded = await load(withClient({ toolcrib: usual }))
        expect(loaded.servers).toEqual([])
        expect(reportsOf(loaded)).toEqual([
          ['info', false, "'toolcrib' is left out: it has the name of the entry that `toolcrib install` writes"],
        ])
      }
      const loaded = await load(withClient({ toolcrib: other('/team.json') }))
      expect(loaded.servers).toEqual([])
      expect(reportsOf(loaded)).toEqual([
        [
          'warning',
          true,
          "'toolcrib' is left out: it is the gateway of another setup. To serve it, add it to 'discovery.servers' of your config",
        ],
      ])
    })

    it('leaves out an entry of a client that starts a gateway without `--config`, even if ours has one', async () => {
      const folder = withClient({ crib: { command: 'toolcrib' } })
      const sources = [{ type: 'cursor' }]
      const explicit = folder.write('work/mine.json', { discovery: { sources } })
      folder.write('home/.toolcrib/config.json', { discovery: { sources } })
      const ours = await load(folder)
      expect([ours.servers, reportsOf(ours).map(([severity]) => severity)]).toEqual([[], ['info']])
      const given = await load(folder, { explicit })
      expect(given.servers).toEqual([])
      expect(reportsOf(given)).toEqual([
        ['info', false, "'crib' is left out: it starts Toolcrib without --config, which counts as this gateway"],
      ])
    })

    it('serves other gateways of a client, unless a gateway started this one', async () => {
      const folder = withClient({ team: other('/team.json'), inFolder, inContainer })
      const names = ['team', 'inFolder', 'inContainer']
      const served = await load(folder)
      expect([served.servers.map(({ name }) => name), served.problems]).toEqual([names, []])
      const nested = await load(folder, nestedIn('/a.json'))
      expect(nested.servers).toEqual([])
      expect(nested.problems).toMatchObject(names.map(() => ({ severity: 'warning', isAboutServing: true })))
    })
  })
})
