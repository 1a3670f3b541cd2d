import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isSelf } from '../config/self.ts'
import { ownProgram } from './launch.ts'

let folder: string
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'toolcrib-launch-')))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const NODE = '/usr/local/bin/node'
const start = (script: string, more: { node?: string; platform?: NodeJS.Platform } = {}) =>
  ownProgram({ script, node: NODE, platform: 'linux', version: '1.2.3', ...more })
const launchesGateway = ({ command, args }: { command: string; args: readonly string[] }) =>
  isSelf({ type: 'stdio', command, args: [...args, 'serve'], env: {} })

async function installed(path: string): Promise<string> {
  const file = join(folder, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, '')
  return file
}

async function link(from: string, to: string): Promise<string> {
  const path = join(folder, from)
  await mkdir(dirname(path), { recursive: true })
  await symlink(to, path, 'junction')
  return path
}

it('names the exact version if npx fetched the program', async () => {
  const script = await installed('.npm/_npx/0a1b/node_modules/toolcrib/dist/cli/main.js')
  const posix = await start(script)
  expect(posix).toEqual({ command: 'npx', args: ['-y', 'toolcrib@1.2.3'] })
  const windows = await start(script, { platform: 'win32' })
  expect(windows).toEqual({ command: 'cmd', args: ['/c', 'npx', '-y', 'toolcrib@1.2.3'] })
  for (const launch of [posix, windows]) expect(launchesGateway(launch)).toBe(true)
})

it.each([
  'usr/lib/node_modules/toolcrib/dist/cli/main.js',
  '.nvm/versions/node/v22.1.0/lib/node_modules/toolcrib/dist/cli/main.js',
  'AppData/Roaming/npm/node_modules/toolcrib/dist/cli/main.js',
  '.config/yarn/global/node_modules/toolcrib/dist/cli/main.js',
  '.bun/install/global/node_modules/toolcrib/dist/cli/main.js',
  'toolcrib/dist/cli/main.js',
  'shop/node_modules/toolcrib/dist/cli/main.js',
])('writes the paths of Node.js and of the script, on every platform: %s', async (path) => {
  const script = await installed(path)
  for (const platform of ['linux', 'darwin', 'win32'] as const) {
    const launch = await start(script, { platform })
    expect(launch).toEqual({ command: NODE, args: [script] })
    expect(launchesGateway(launch)).toBe(true)
  }
})

it('resolves the link of a global bin folder', async () => {
  const script = await installed('opt/lib/node_modules/toolcrib/dist/cli/main.js')
  const bin = await link('opt/bin/toolcrib', script)
  expect(await start(bin)).toEqual({ command: NODE, args: [script] })
})

it("uses pnpm's link to the current version, and not the folder of the version", async () => {
  const version = 'pnpm/global/5/.pnpm/toolcrib@1.0.0/node_modules/toolcrib'
  const script = await installed(`${version}/dist/cli/main.js`)
  const current = await link('pnpm/global/5/node_modules/toolcrib', join(folder, version))
  expect(await start(script)).toEqual({ command: NODE, args: [join(current, 'dist/cli/main.js')] })
})

it("uses Homebrew's link to the current version, if it leads to this version", async () => {
  const script = await installed('brew/lib/node_modules/toolcrib/dist/cli/main.js')
  const node = await installed('brew/Cellar/node@22/22.1.0/bin/node')
  expect(await start(script, { node })).toEqual({ command: node, args: [script] })
  const current = await link('brew/opt/node@22', dirname(dirname(node)))
  expect(await start(script, { node })).toEqual({ command: join(current, 'bin/node'), args: [script] })
})

it.each(['/usr/bin/node-22', '/usr/bin/nodejs18', 'C:\\Program Files\\nodejs\\node.exe'])(
  'a command line with the Node.js %s is recognised as the gateway',
  async (node) => {
    const script = await installed('any/toolcrib/dist/cli/main.js')
    expect(launchesGateway(await start(script, { node }))).toBe(true)
  },
)
