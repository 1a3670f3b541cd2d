import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { nameFrom } from './server-name.ts'

const nameOf = (line: string, cwd?: string) => {
  const [command = '', ...args] = line.split(' ')
  return nameFrom({ type: 'stdio', command, args, env: {}, ...(cwd === undefined ? {} : { cwd }) })
}

describe('nameFrom', () => {
  it.each([
    ['npx -y @scope/my-server@2.1.0 /tmp', 'my-server'],
    ['npx --package other my-server', 'my-server'],
    ['deno run npm:some-server', 'some-server'],
    ['deno run -A jsr:@scope/some-server@1', 'some-server'],
    ['uvx --from git+https://x.test/y mcp-server-git', 'mcp-server-git'],
    ['uv --directory /srv/weather run weather.py', 'weather'],
    ['node build/notes.mjs', 'notes'],
    ['node --import tsx src/notes.ts', 'notes'],
    ['python3 -m mcp_server_time', 'mcp_server_time'],
    ['python -u notes.py', 'notes'],
    ['docker run -i --rm -e GITHUB_TOKEN ghcr.io/github/github-mcp-server:v1', 'github-mcp-server'],
    ['docker run -i --rm --user 1000 --pull always mcp/fetch', 'fetch'],
    ['/usr/bin/node /opt/notes/dist/index.js', 'notes'],
    ['node /opt/notes/server.js', 'notes'],
    ['/opt/notes/bin/server', 'notes'],
    ['/usr/local/bin/my-server --verbose', 'my-server'],
    ['node /index.js', 'index'],
  ])('turns the command %s into the name %s', async (line, name) => {
    expect(await nameOf(line)).toBe(name)
  })

  it('uses the name of the package if the script has a common name', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolcrib-name-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    mkdirSync(join(folder, 'dist'))
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: '@scope/weather' }))
    expect(await nameOf('node dist/index.js', folder)).toBe('weather')
    expect(await nameOf(`node ${folder}/dist/cli.js`)).toBe('weather')
    expect(await nameOf(`node ${folder}/dist/rain.js`)).toBe('rain')
    writeFileSync(join(folder, 'package.json'), 'not JSON')
    expect(await nameOf('node dist/index.js', folder)).toMatch(/^toolcrib-name-/)
  })

  it('uses the host name if the server has a URL', async () => {
    expect(await nameFrom({ type: 'http', url: 'https://mcp.example.com/mcp', headers: {} })).toBe('mcp.example.com')
  })
})
