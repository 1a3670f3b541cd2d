// Starts the built program for the screenshots, with its own home folder, real servers and a server that cannot start.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface ShownGateway {
  /** The address of the page. */
  readonly address: string
  readonly token: string
  close(): Promise<void>
}

const root = fileURLToPath(new URL('../../..', import.meta.url))
const server = (path: string, ...args: readonly string[]) => ({
  command: process.execPath,
  args: [join(root, path), ...args],
})
const example = (name: string, description: string) => ({
  ...server(`build/examples/servers/${name}/server.js`),
  description,
})
const reference = (name: string, ...args: readonly string[]) =>
  server(`node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, ...args)

export async function startGateway(): Promise<ShownGateway> {
  const home = mkdtempSync(join(tmpdir(), 'toolcrib-screenshots-'))
  const config = join(home, 'config.json')
  writeFileSync(config, JSON.stringify(configIn(home)))
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    XDG_STATE_HOME: join(home, 'state'),
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_CONFIG_HOME: join(home, 'config'),
  }
  const args = [join(root, 'dist/cli/main.js'), 'serve', '--http', '--port', '0', '--config', config]
  const child = spawn(process.execPath, args, { cwd: home, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  const url = await new Promise<string>((resolve, reject) => {
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk
      const found = /Listening on (\S+)/.exec(printed)?.[1]
      if (found !== undefined) resolve(found)
    })
    ended.then(() => reject(new Error(`The gateway ended: ${printed}`)), reject)
  })
  return {
    address: new URL('.', url).href,
    token: readFileSync(join(home, 'state/toolcrib/token'), 'utf8').trim(),
    async close() {
      child.kill('SIGTERM')
      await ended
      rmSync(home, { recursive: true, force: true })
    },
  }
}

function configIn(home: string): unknown {
  return {
    discovery: {
      strategy: 'gateway',
      servers: {
        tracker: example('tracker', 'Issues, sprints and projects of a team.'),
        notes: example('notes', 'A vault of linked notes.'),
        shop: example('shop', 'Orders, stock and customers of a shop.'),
        everything: reference('everything', 'stdio'),
        files: { ...reference('filesystem', home), description: 'Files of one folder.' },
        memory: { ...reference('memory'), env: { MEMORY_FILE_PATH: join(home, 'memory.jsonl') } },
        reports: { command: 'report-server', description: 'Queries the reporting database.' },
      },
      toolRules: [
        { pattern: ['*delete*', '*empty-trash*'], enabled: false },
        { pattern: '*issue*', server: 'tracker', tags: ['daily'] },
        { pattern: 'issue-delete', server: 'tracker' },
        { pattern: '*' },
      ],
    },
  }
}
