// The config files of every client are found on each platform. These tests simulate all platforms.

import { posix, win32 } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importers } from '../../../src/config/imports/builtins.ts'
import { loadConfig } from '../../../src/config/load/load.ts'
import { type ClientFixture, clientFixtures, type Platform } from './client-files.ts'
import { covers } from './harness.ts'

const machines = [
  { platform: 'linux', home: '/h/ada', cwd: '/h/ada/shop', env: {}, join: posix.join },
  { platform: 'darwin', home: '/u/ada', cwd: '/u/ada/shop', env: {}, join: posix.join },
  {
    platform: 'win32',
    home: 'C:\\u\\ada',
    cwd: 'C:\\u\\ada\\shop',
    env: { APPDATA: 'C:\\u\\ada\\AppData\\Roaming' },
    join: win32.join,
  },
] as const

it('there is a fixture for every client', () => {
  const clients = [...importers.values()].filter(({ writer }) => writer !== undefined)
  expect(clientFixtures.map(({ client }) => client).sort()).toEqual(clients.map(({ name }) => name).sort())
})

describe.each(machines)('on $platform', (machine) => {
  const { platform, home, cwd, env, join } = machine
  const load = (texts: ReadonlyMap<string, string>, config?: object) => {
    const named =
      config === undefined ? new Map() : new Map([[join(cwd, 'toolcrib.config.json'), JSON.stringify(config)]])
    const all = new Map([...texts, ...named])
    return loadConfig({
      platform,
      home,
      cwd,
      env,
      configDir: join(home, '.config', 'toolcrib'),
      ...(config === undefined ? {} : { explicit: join(cwd, 'toolcrib.config.json') }),
      files: {
        isFile: async (path) => all.has(path),
        isLocked: async () => false,
        readText: async (path) => all.get(path) ?? '',
        readGuarded: async (path) => ({ text: all.get(path) ?? '', realPath: path }),
        realPath: (path) => path,
      },
    })
  }
  const userFile = ({ user }: ClientFixture) => join(home, user[platform satisfies Platform])

  it('every server in the user files of all clients is found by default, and every file is a source', async () => {
    covers('CLI-HOME-CLIENTS')
    const texts = new Map(clientFixtures.map((one) => [userFile(one), one.text(cwd)]))
    const loaded = await load(texts)
    expect(loaded.servers.map(({ name }) => name).sort()).toEqual(clientFixtures.flatMap((one) => one.servers).sort())
    expect(loaded.problems.filter(({ severity }) => severity !== 'info')).toEqual([])
    expect(new Set(loaded.sources.map(({ path }) => path))).toEqual(new Set(texts.keys()))
  })

  it.each(clientFixtures)(
    'the importer of $client has the expected paths of its user file and its project file',
    (one) => {
      const paths = importers.get(one.client)!.paths({ home, cwd, platform, env })
      expect(paths.find(({ scope }) => scope === 'user')?.path).toBe(userFile(one))
      const project = paths.find(({ scope }) => scope === 'project')?.path
      expect(project).toBe(one.project === undefined ? undefined : join(cwd, one.project))
    },
  )

  it('servers that a client stores in a project are not used without an approval', async () => {
    covers('CLI-IMPORT-PROJECT')
    const ofProject = clientFixtures.filter(({ project }) => project !== undefined)
    const texts = new Map(ofProject.map((one) => [join(cwd, one.project ?? ''), one.text(cwd)]))
    const loaded = await load(texts)
    expect(loaded.servers).toEqual([])
    expect(new Set(loaded.sources.map(({ path }) => path))).toEqual(new Set(texts.keys()))
    for (const { state } of loaded.sources) expect(['unapproved', 'repeated']).toContain(state)
  })
})
