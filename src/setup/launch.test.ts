import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ownLaunch } from './launch.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolcrib-launch-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function installed(path: string): Promise<string> {
  const file = join(folder, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, '')
  return file
}

it.each([
  '.npm/_npx/0a1b/node_modules/toolcrib/dist/cli/main.js',
  'usr/lib/node_modules/toolcrib/dist/cli/main.js',
  '.local/share/pnpm/global/5/.pnpm/toolcrib@1.0.0/node_modules/toolcrib/dist/cli/main.js',
  '.config/yarn/global/node_modules/toolcrib/dist/cli/main.js',
  '.bun/install/global/node_modules/toolcrib/dist/cli/main.js',
])('uses npx for an installation that npx finds: %s', async (path) => {
  const script = await installed(path)
  expect(await ownLaunch(script, 'linux')).toEqual({ command: 'npx', args: ['-y', 'toolcrib', 'serve'] })
  expect(await ownLaunch(script, 'win32')).toEqual({ command: 'cmd', args: ['/c', 'npx', '-y', 'toolcrib', 'serve'] })
})

it.each([
  'clone/dist/cli/main.js',
  'shop/node_modules/toolcrib/dist/cli/main.js',
  'shop/lib/node_modules/toolcrib/dist/cli/main.js',
])('uses the path of the script for a clone or a project dependency: %s', async (path) => {
  const script = await installed(path)
  await writeFile(join(folder, 'shop', 'lib', 'package.json'), '{}').catch(() => {})
  expect(await ownLaunch(script, 'win32')).toEqual({ command: 'node', args: [script, 'serve'] })
})
