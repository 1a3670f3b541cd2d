// Runs the examples of docs/extending: the contract suite of each, and several together in servers and a gateway.

import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { McpServer as SdkServer } from '@modelcontextprotocol/server'
import {
  createMcpServer,
  defineCommand,
  type LazyToolsOptions,
  lazyTools,
  success,
  type WrapServerOptions,
  wrapServer,
} from 'toolcrib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { sharedWords } from '../examples/extending/ranker.ts'
import { clock } from '../examples/extending/source.ts'
import { createJsonStore, jsonFile } from '../examples/extending/store.ts'
import { findAndRun } from '../examples/extending/strategy.ts'
import { removeFolder } from '../src/storage/remove-folder.fixture.ts'
import { type CliHome, createHome, definedVariables, main, run } from './e2e/cli/harness.ts'

/** A busy machine can take longer than the minute that a client waits by default. */
const PATIENT = { timeout: 110_000 }

mkdirSync('build', { recursive: true })
// Below this folder, the name of the package and its dependencies are found.
const folder = mkdtempSync(join('build', 'extending-'))
afterAll(() => removeFolder(folder))

// The test of each page, as a reader would copy it: beside a copy of the example.
const pages = readdirSync('docs/extending')
const copies = join(folder, 'copies')
cpSync('examples/extending', copies, { recursive: true })
for (const page of pages) {
  const [, test = ''] = /^## Test$.*?```ts\n(.*?)```/ms.exec(readFileSync(join('docs/extending', page), 'utf8')) ?? []
  const file = join(copies, page.replace('.md', '.suite.ts'))
  writeFileSync(file, test)
  await import(pathToFileURL(file).href)
}

describe('docs/extending', () => {
  it('docs/extending has a page for each example', () => {
    const examples = readdirSync('examples/extending').filter((name) => name.endsWith('.ts') && name !== 'run.ts')
    expect(pages.toSorted()).toEqual(examples.map((name) => name.replace('.ts', '.md')).toSorted())
  })

  it.each(pages)('%s shows exactly the code of its example', (page) => {
    const code = readFileSync(join('examples/extending', page.replace('.md', '.ts')), 'utf8')
    expect(readFileSync(join('docs/extending', page), 'utf8')).toContain(`\`\`\`ts\n${code}\`\`\``)
  })
})

describe('a server in code with plugins', () => {
  // The server opens the store of a plugin in the state folder of the user.
  beforeAll(() => void vi.stubEnv('XDG_STATE_HOME', resolve(folder, 'state')))
  afterAll(() => void vi.unstubAllEnvs())

  it.each([
    ['the result of defineStore', jsonFile, () => stateFileOf('desk')],
    ['an opened store', createJsonStore(join(folder, 'server.json')), () => join(folder, 'server.json')],
  ])('createMcpServer serves a source with a strategy, a ranker and %s', async (_, store, fileOf) => {
    const server = createMcpServer({
      name: 'desk',
      version: '1.0.0',
      commands: [
        defineCommand({
          name: 'bell-ring',
          description: 'Ring the bell.',
          input: z.object({}),
          handler: async () => success('ding'),
        }),
      ],
      sources: [clock],
      toolStrategy: findAndRun,
      strategyOptions: { limit: 1 },
      ranker: sharedWords,
      store,
      transport: 'http',
      port: 0,
    })
    expect(await server.execute('find_tools', { query: 'current time please' })).toMatchObject({
      data: [{ tool: 'clock__now' }],
    })
    expect(await server.execute('run_tool', { tool: 'clock__now' })).toMatchObject({ data: { timeZone: 'UTC' } })
    expect(await server.execute('run_tool', { tool: 'bell-ring' })).toMatchObject({ data: 'ding' })
    await server.stop()
    // The server counts the calls in the store.
    expect(readFileSync(fileOf(), 'utf8')).toContain('clock:now')
  })

  it('wrapServer serves a child process with a strategy and a ranker', async () => {
    const { call, close } = await wrapNotes({
      strategy: findAndRun,
      strategyOptions: { limit: 1 },
      ranker: sharedWords,
      store: jsonFile,
    })
    try {
      const found = await call('find_tools', { query: 'search notes' })
      expect(found.match(/\\"tool\\":/g)).toHaveLength(1)
      expect(await call('run_tool', { tool: 'search-notes', arguments: { query: 'notes' } })).not.toContain('error')
    } finally {
      await close()
    }
  })

  it.each([
    ['the result of defineStore', jsonFile, () => stateFileOf('notes')],
    ['an opened store', createJsonStore(join(folder, 'wrapped.json')), () => join(folder, 'wrapped.json')],
  ])('wrapServer keeps the enabled tools of a child process in %s', async (_, store, fileOf) => {
    const { call, close } = await wrapNotes({ name: 'notes', strategy: 'manage', store })
    try {
      await call('manage_tools', { action: 'enable', tools: ['search-notes'] })
      // The end of a session removes its entries, so the file is read before.
      expect(readFileSync(fileOf(), 'utf8')).toContain('search-notes')
    } finally {
      await close()
    }
  })

  it('lazyTools serves an SDK server with a strategy, a ranker and a store', async () => {
    const { sdk, client } = await connectSdk({
      strategy: findAndRun,
      strategyOptions: { limit: 1 },
      ranker: sharedWords,
      store: createJsonStore(join(folder, 'sdk.json')),
    })
    try {
      const { content } = await client.callTool({ name: 'find_tools', arguments: { query: 'ring loudly' } })
      expect(JSON.stringify(content)).toContain('bell_ring')
    } finally {
      await client.close()
      await sdk.close()
    }
  })
})

/** The file in which `jsonFile` keeps the state of a server of this name. */
function stateFileOf(server: string): string {
  const files = readdirSync(join(folder, 'state'), { recursive: true, encoding: 'utf8' })
  const [file] = files.filter((name) => name.includes(`${server}~`) && name.endsWith('state.json'))
  return join(folder, 'state', file ?? `no file of ${server}`)
}

/** A server over HTTP in front of a real process: the example server `notes`. */
async function wrapNotes<Own extends z.ZodObject = z.ZodObject>(options: WrapServerOptions<Own>) {
  const connection = {
    type: 'stdio',
    command: process.execPath,
    args: ['dist/examples/servers/notes/server.js'],
  } as const
  const server = wrapServer(connection, { ...options, transport: 'http', port: 0 })
  await server.start()
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.getUrl()}/mcp`)), PATIENT)
  return {
    call: async (name: string, given: Record<string, unknown>) =>
      JSON.stringify((await client.callTool({ name, arguments: given }, PATIENT)).content),
    async close() {
      await client.close()
      await server.stop()
    },
  }
}

async function connectSdk<Own extends z.ZodObject = z.ZodObject>(options: LazyToolsOptions<Own>) {
  const sdk = new SdkServer({ name: 'desk', version: '1.0.0' })
  for (const [name, description] of [
    ['bell_ring', 'Ring the bell loudly.'],
    ['lamp_off', 'Switch the lamp off.'],
  ] as const) {
    sdk.registerTool(name, { description }, async () => ({ content: [{ type: 'text', text: 'done' }] }))
  }
  lazyTools(sdk, options)
  const client = new Client({ name: 'test', version: '1.0.0' })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await Promise.all([sdk.connect(theirs), client.connect(ours)])
  return { sdk, client }
}

describe('a config in TypeScript with plugins', () => {
  let home: CliHome
  let config = ''
  beforeAll(() => {
    home = createHome()
    home.write('.acme/settings.json', JSON.stringify({ tools: { servers: { files: { command: 'server-files' } } } }))
    const at = (name: string) => JSON.stringify(pathToFileURL(join('examples', 'extending', `${name}.ts`)).href)
    config = home.write(
      'toolcrib.config.ts',
      `import { acme } from ${at('importer')}
import { sharedWords } from ${at('ranker')}
import { clock } from ${at('source')}
import { jsonFile } from ${at('store')}
import { findAndRun } from ${at('strategy')}

export default {
  plugins: {
    strategies: [findAndRun],
    rankers: [sharedWords],
    sources: [clock],
    stores: [jsonFile],
    importers: [acme],
  },
  store: 'json-file',
  discovery: {
    strategy: 'find-and-run',
    strategyOptions: { limit: 3 },
    search: { ranker: 'shared-words' },
    sources: [{ type: 'acme' }],
  },
}
`,
    )
  })
  afterAll(() => home.remove())
  const cli = (...words: readonly string[]) => run(home, [...words, '--config', config])

  it('a config in TypeScript with plugins is valid', async () => {
    expect(await cli('config', 'validate')).toMatchObject({ code: 0 })
  })

  it('config show lists the servers that an importer of the user reads', async () => {
    expect((await cli('config', 'show', '--verbose')).stdout).toMatch(/files: server-files/)
  })

  it('config validate reports a store that is not the result of defineStore', async () => {
    const wrong = home.write('wrong.config.mjs', 'export default { plugins: { stores: [{ name: "x" }] } }')
    const { code, stdout } = await run(home, ['config', 'validate', '--config', wrong])
    expect(code).toBe(2)
    expect(stdout).toMatch(/defineStore\(\)/)
  })

  it('serve offers the tools of a source of the user', async () => {
    const client = new Client({ name: 'test', version: '1.0.0' })
    const env = definedVariables(home.env)
    const args = [main, 'serve', '--config', config]
    await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: home.cwd, env }), PATIENT)
    const call = async (name: string, given: Record<string, unknown>) =>
      JSON.stringify((await client.callTool({ name, arguments: given }, PATIENT)).content)
    try {
      expect(await call('find_tools', { query: 'current time' })).toContain('clock__now')
      expect(await call('run_tool', { tool: 'clock__now' })).toContain('UTC')
    } finally {
      await client.close()
    }
  })

  it('execute runs a tool of a source of the user, and shows the data of the result', async () => {
    const { stdout } = await cli('execute', 'clock:now', 'timeZone=UTC')
    expect(stdout).toMatch(/Result:\n {2}timeZone: UTC\n {2}time: /)
  })

  it('serve --explain explains a strategy of the user', async () => {
    const { stdout, stderr } = await cli('serve', '--explain', '--json')
    expect(stderr).not.toMatch(/UNKNOWN_STRATEGY/)
    expect(JSON.parse(stdout)).toMatchObject({ strategy: 'find-and-run', options: { limit: 3 } })
  })

  it('list, status, doctor, config show and search count a source of the user as a server', async () => {
    const only = home.write(
      'only-source.config.ts',
      `import { clock } from ${JSON.stringify(pathToFileURL(join('examples', 'extending', 'source.ts')).href)}
export default { plugins: { sources: [clock] }, discovery: { servers: {} } }
`,
    )
    const ask = async (...words: readonly string[]) =>
      JSON.parse((await run(home, [...words, '--json', '--config', only])).stdout)
    expect(await ask('list')).toMatchObject({ servers: [{ name: 'clock', toolCount: 1 }] })
    const status = await ask('status')
    expect(status).toMatchObject({ servers: 1, sources: [{ source: 'plugins', servers: 1 }], tools: 1 })
    expect(status.next.command).not.toContain('--demo')
    for (const words of [['doctor'], ['doctor', 'clock']]) {
      expect(await ask(...words)).toMatchObject({
        servers: [{ server: 'clock', transport: 'plugin', ok: true, tools: 1, enabledTools: 1 }],
        healthy: 1,
        unhealthy: 0,
      })
    }
    const broken = home.write(
      'broken-source.config.mjs',
      `const list = async () => { throw new Error('the shelf is empty') }
const open = ({ id }) => ({ id, list, call: list, async [Symbol.asyncDispose]() {} })
export default { plugins: { sources: [{ name: 'shelf', open }] }, discovery: { servers: {} } }
`,
    )
    const ofBroken = await run(home, ['doctor', '--config', broken])
    expect(ofBroken.code).toBe(3)
    expect(ofBroken.stdout).toMatch(
      /✗ shelf \(plugin\)[\s\S]*Problem: the shelf is empty\n {2}Next: Correct the source 'shelf'/,
    )
    expect((await ask('config', 'show')).servers).toMatchObject({ configured: 1 })
    expect((await run(home, ['doctor', '--config', only])).stdout).toMatch(
      /✓ clock \(plugin\)\n {2}1 tool, \d+ tokens\n/,
    )
    expect((await run(home, ['doctor', 'clok', '--config', only])).stderr).toContain("Did you mean 'clock'")
    for (const words of [
      ['tools', 'clok'],
      ['inspect', 'clok', 'now'],
      ['execute', 'clok', 'now'],
    ]) {
      expect((await run(home, [...words, '--config', only])).stderr).not.toContain('No server is configured')
    }
    expect((await ask('search', 'nothing of the kind')).reason).not.toContain('No server')
  })

  it('a source of the user that prints while it is opened does not write to the protocol on stdout', async () => {
    const printing = home.write(
      'printing-source.config.mjs',
      `const open = ({ id }) => {
  console.log('connecting')
  return { id, list: async () => [], call: async () => {}, async [Symbol.asyncDispose]() {} }
}
export default { plugins: { sources: [{ name: 'shelf', open }] }, discovery: { servers: {} } }
`,
    )
    const ping = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`
    const served = await run(home, ['serve', '--config', printing], { input: ping })
    expect(
      served.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ id: 1 }])
    expect(served.stderr).toContain('connecting')
  })
})
