// npm run bench:startup: from the start of the program to the first right answer of search_tools, against node -e 0.

import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { type StoredGateway, storeGateway } from '../test/fixtures/stored-gateway.ts'
import { readCatalog } from './catalog-data.ts'
import { serversOf } from './known-servers.ts'
import { report } from './report.ts'
import { median } from './speed/figures.ts'
import { emptyNodeMs } from './speed/process-facts.ts'

const ROUNDS = Number(process.argv[2] ?? 7)
const catalog = readCatalog()

/** Searches for a tool by its name. */
async function firstAnswerMs(stored: StoredGateway, tool: string): Promise<number> {
  const startedAt = performance.now()
  const client = new Client({ name: 'bench', version: '1.0.0' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['dist/cli/main.js', 'serve', '--config', stored.config],
    env: { PATH: process.env.PATH ?? '', XDG_CACHE_HOME: stored.cacheHome, XDG_STATE_HOME: stored.stateHome },
  })
  await client.connect(transport)
  const { content } = await client.callTool({ name: 'search_tools', arguments: { query: tool } })
  const tookMs = performance.now() - startedAt
  await client.close()
  const [block] = content
  if (block?.type !== 'text' || !block.text.includes(`"${tool}"`)) throw new Error(`The search did not find ${tool}.`)
  if (existsSync(stored.mark)) throw new Error('A server was started for a search.')
  return tookMs
}

if (catalog !== undefined) {
  const servers = serversOf(catalog).slice(0, 100)
  const [first] = servers
  const target = first?.tools[0]
  if (first === undefined || target === undefined) throw new Error('The catalog is empty.')
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-bench-'))
  const taken: Record<'1' | '100', number[]> = { 1: [], 100: [] }
  const bare: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    // The three take turns, so that other load on the machine slows all of them.
    bare.push(emptyNodeMs())
    for (const size of [1, 100] as const) {
      const stored = await storeGateway(await mkdtemp(join(folder, 'gateway-')), servers.slice(0, size))
      taken[size].push(await firstAnswerMs(stored, target.name))
    }
  }
  await rm(folder, { recursive: true, force: true })
  const [node, one, hundred] = [median(bare), median(taken[1]), median(taken[100])]
  const units = (ms: number) => Math.round((ms / node) * 10) / 10
  report(
    'startup',
    `From spawn to the first search answer (median of ${ROUNDS})`,
    [
      { servers: 1, tools: first.tools.length, ms: Math.round(one), 'times node -e 0': units(one) },
      {
        servers: 100,
        tools: servers.reduce((sum, { tools }) => sum + tools.length, 0),
        ms: Math.round(hundred),
        'times node -e 0': units(hundred),
      },
    ],
    [{ what: 'the first search over 100 servers, in units of node -e 0', value: units(hundred), max: 30 }],
  )
}
