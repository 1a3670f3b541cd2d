// Runs the matrix with three real servers behind a gateway. All gateways share the HTTP server; the stdio servers start on demand.

import { afterAll, beforeAll } from 'vitest'
import { openGateway } from '../e2e/gateway/harness.ts'
import { createHome } from '../e2e/gateway/home.ts'
import { everythingAt, filesystem, memory } from '../e2e/gateway/servers.ts'
import { addToken } from '../team/tokens.ts'
import { runMatrix } from './matrix.ts'

const home = createHome()
const everything = everythingAt('streamableHttp')
const configFor = (strategy: string, strategyOptions: unknown) => ({
  discovery: {
    strategy,
    strategyOptions,
    listWaitMs: 30_000,
    servers: {
      everything: { connection: { type: 'http', url: everything.url } },
      files: filesystem(home.at('')),
      memory: memory(home.at('memory.jsonl')),
    },
    toolRules: [
      { server: 'everything', pattern: ['get-env'], enabled: false },
      { pattern: ['*'], enabled: true },
    ],
  },
})

let limitedToken = ''

beforeAll(async () => {
  // This gateway lists the servers once and caches their manifests; the gateways of the matrix read the cache.
  const gateway = await openGateway({ home, config: configFor('gateway', {}) })
  const client = await gateway.connect()
  await client.ask('search_tools', { query: 'anything' })
  await gateway.close()
  limitedToken = addToken(home, 'limited', '--servers', 'memory')
})
afterAll(() => home.remove())

runMatrix({
  core: ['echo'],
  target: {
    words: 'echo back a message',
    name: 'everything__echo',
    id: 'everything:echo',
    group: 'everything',
    action: 'echo',
    category: 'everything',
    parameter: 'message',
    args: { message: 'hello there' },
    answer: /hello there/,
    badArgs: { massage: 'hello' },
  },
  wrong: { name: 'everything__ecko', id: 'everything:ecko', group: 'everything', action: 'ecko' },
  hidden: {
    words: 'environment variables',
    name: 'everything__get-env',
    id: 'everything:get-env',
    group: 'everything',
    action: 'get-env',
    category: 'everything',
  },
  limited: { token: () => limitedToken, own: /read_graph|memory/, foreign: /everything|"echo|get-sum|files/ },
  open: ({ strategy, options }, door) => openGateway({ door, home, config: configFor(strategy, options) }),
})
