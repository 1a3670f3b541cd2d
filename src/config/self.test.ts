// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are references in configs, not templates

import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DEFAULT_CONFIG, isOwnEntry, isSelf, startedGateway } from './self.ts'

const OWN = ['http://127.0.0.1:3100/mcp']

function startsGateway(line: readonly string[]): boolean {
  const [command = '', ...args] = line
  return isSelf({ type: 'stdio', command, args, env: {} }, OWN)
}

describe('isSelf with a command line', () => {
  it.each([
    [['toolcrib']],
    [['toolcrib', 'serve']],
    [['/usr/local/bin/toolcrib', 'serve', '--http']],
    [['C:\\npm\\toolcrib.cmd']],
    [['npx', 'toolcrib']],
    [['npx', '-y', 'toolcrib@latest', 'serve']],
    [['npx', '--package', 'toolcrib', 'toolcrib']],
    [['npm', 'exec', '--', 'toolcrib']],
    [['pnpm', 'dlx', 'toolcrib']],
    [['yarn', 'dlx', 'toolcrib@1.2.3']],
    [['bunx', 'toolcrib']],
    [['bun', 'x', 'toolcrib']],
    [['node', '/opt/toolcrib/dist/cli/main.js']],
    [['node', '--enable-source-maps', '--import', 'tsx', '/code/toolcrib/src/cli/main.ts', 'serve']],
    [['node', 'node_modules/.bin/toolcrib']],
    [['C:\\node\\node.exe', 'D:\\code\\toolcrib\\dist\\cli\\main.js']],
    [['cmd', '/c', 'npx', '-y', 'toolcrib']],
    [['cmd.exe', '/d', '/s', '/c', '"npx toolcrib"']],
    [['sh', '-c', 'npx toolcrib serve']],
    [['bash', '-lc', 'toolcrib']],
    [['env', 'A=1', 'npx', 'toolcrib']],
    [['node', fileURLToPath(new URL('../cli/main.ts', import.meta.url))]],
    [['node', '/opt/toolcrib/dist/cli/../cli/main.js']],
    [['docker', 'run', '-i', '--rm', 'ghcr.example/acme/toolcrib:2']],
    [['npx', 'mcp-remote', 'http://localhost:3100/mcp']],
  ])('recognizes a command line that starts a gateway, or connects to this one: %j', (line) => {
    expect(startsGateway(line)).toBe(true)
  })

  it('recognizes the script of the gateway through a symbolic link', () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolcrib-self-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    symlinkSync(fileURLToPath(new URL('../cli/main.ts', import.meta.url)), join(folder, 'link.js'))
    expect(startsGateway(['node', join(folder, 'link.js')])).toBe(true)
  })

  it('recognizes the script of the gateway relative to the folder in which it is started', () => {
    const line = { type: 'stdio', command: 'node', args: ['src/cli/main.ts'], env: {} } as const
    const cwd = fileURLToPath(new URL('../..', import.meta.url))
    expect(isSelf({ ...line, cwd })).toBe(true)
    expect(isSelf({ ...line, cwd: tmpdir() })).toBe(false)
  })

  it.each([
    [['npx', '-y', '@modelcontextprotocol/server-filesystem', '/code/toolcrib']],
    [['node', 'server.js', '/code/toolcrib/']],
    [['node', '/code/other/server.js', 'toolcrib']],
    [['toolcrib-server']],
    [['npx', 'toolcrib-extras']],
    [['npx', 'mcp-remote', 'http://localhost:3101/mcp']],
    [['npx', 'mcp-remote', 'toolcrib']],
    [['toolcrib', 'wrap', '--', 'some-server']],
    [['npx', '-y', 'toolcrib', 'wrap', '--', 'some-server']],
    [['npx', '--package', 'toolcrib', 'toolcrib', 'wrap', '--', 'some-server']],
    [['toolcrib', '--config', 'x.json', 'wrap', '--', 'some-server']],
    [['node', '/x/node_modules/toolcrib/build/examples/workshop/server.js']],
    [['node', '/code/toolcrib/server.js']],
    [['node', '/code/toolcrib/tools/dist/cli/main.js']],
    [['docker', 'run', '-v', '/code/toolcrib:/data', '--name', 'toolcrib', 'other']],
    [['uvx', 'mcp-server-git', '--repository', 'toolcrib']],
    [['env']],
    [['sh']],
    [['']],
  ])('does not recognize the command line of another server: %j', (line) => {
    expect(startsGateway(line)).toBe(false)
  })
})

describe('isSelf with an address', () => {
  const at = (url: string) => isSelf({ type: 'http', url, headers: {} }, OWN)

  it.each([
    'http://127.0.0.1:3100/mcp',
    'http://localhost:3100',
    'http://[::1]:3100/mcp/',
    'HTTP://LocalHost:3100/sse',
  ])('recognizes an address of this gateway: %s', (url) => {
    expect(at(url)).toBe(true)
  })

  it.each(['http://localhost:3101/mcp', 'https://example.com:3100/mcp', 'not an address', '${URL}'])(
    'does not recognize another address: %s',
    (url) => {
      expect(at(url)).toBe(false)
    },
  )
})

it('recognizes an entry named `toolcrib` with any command line, but not one with an address or one that wraps a server', () => {
  const started = (...args: string[]) => ({ type: 'stdio' as const, command: 'docker', args, env: {} })
  expect(isOwnEntry('toolcrib', started('run', '-i', 'our/image'))).toBe(true)
  expect(isOwnEntry('other', started('run', '-i', 'our/image'))).toBe(false)
  expect(isOwnEntry('toolcrib', started('toolcrib', 'wrap', '--', 'server'))).toBe(false)
  expect(isOwnEntry('toolcrib', { type: 'http', url: 'https://example.com/mcp', headers: {} })).toBe(false)
})

describe('startedGateway', () => {
  const started = (args: readonly string[], more: object = {}) =>
    startedGateway({ type: 'stdio', command: 'toolcrib', args, env: {}, ...more }, '/h/ada')?.config

  it.each([
    [['serve', '--config', '/etc/a.json'], '/etc/a.json'],
    [['serve', '--config=/etc/a.json'], '/etc/a.json'],
    [['--config', '~/a.json', 'serve'], '/h/ada/a.json'],
    [['serve'], DEFAULT_CONFIG],
  ])('reads the config of a started gateway from the arguments %j', (args, config) => {
    expect(started(args)).toBe(config)
  })

  it('resolves the config of a started gateway relative to the folder in which it is started', () => {
    expect(started(['--config', 'a.json'], { cwd: '/srv' })).toBe('/srv/a.json')
  })

  it('returns no config for a gateway that searches for its config in other folders than this one', () => {
    expect(started(['serve'], { cwd: '/srv' })).toBeUndefined()
    expect(started(['serve'], { env: { HOME: '/srv' } })).toBeUndefined()
    const container = { type: 'stdio' as const, command: 'docker', args: ['run', 'toolcrib'], env: {} }
    expect(startedGateway(container)).toEqual({ isInContainer: true })
  })

  it('returns undefined for a connection that starts another program', () => {
    expect(startedGateway({ type: 'stdio', command: 'x', args: ['--config', 'a.json'], env: {} })).toBeUndefined()
  })
})
