// The matrix over a gateway in front of three real servers: every strategy, over stdio and HTTP, in both eras.

import { afterAll, beforeAll, describe } from 'vitest'
import { type Era, eras, type GatewayClient } from '../e2e/gateway/client.ts'
import { openGateway, type RunningGateway } from '../e2e/gateway/harness.ts'
import { createHome } from '../e2e/gateway/home.ts'
import { everything, filesystem, memory } from '../e2e/gateway/servers.ts'
import { checkCell } from './checks.ts'
import { rowsFor, type Target } from './table.ts'

// One for all: what the first gateway has found out of the servers the others know from its manifests.
const home = createHome()
home.write('notes/today.txt', 'walnuts and milk')
afterAll(() => home.remove())

const target: Target = {
  listed: 'files__read_text_file',
  group: 'files',
  action: 'read_text_file',
  category: 'files',
  words: 'read_text_file',
  query: 'read the complete contents of a text file',
  input: { path: home.at('notes', 'today.txt') },
  output: 'walnuts and milk',
  parameter: 'path',
  badInput: { head: 1 },
  wrong: 'files__read_text_fil',
  hidden: 'files__move_file',
  hiddenCode: 'TOOL_DISABLED',
}

const servers = {
  everything: everything(),
  files: filesystem(home.at('notes')),
  memory: memory(home.at('memory.json')),
}
const toolRules = [{ server: 'files', pattern: 'move_file', enabled: false }]

describe.each(rowsFor('read_text_*'))('$title over a gateway', (row) => {
  const { strategy, options: strategyOptions } = row
  const config = { discovery: { listWaitMs: 30_000, strategy, strategyOptions, servers, toolRules } }

  describe('over http', () => {
    let gateway: RunningGateway | undefined
    const clients = new Map<Era, GatewayClient>()
    beforeAll(async () => {
      gateway = await openGateway({ door: 'http', home, config })
      for (const era of eras) clients.set(era, await gateway.connect({ era }))
    })
    afterAll(() => gateway?.close())
    describe.each(eras)('in the %s era', (era) => checkCell(row, target, () => live(clients.get(era))))
  })

  describe.each(eras)('over stdio in the %s era', (era) => {
    let gateway: RunningGateway | undefined
    let client: GatewayClient | undefined
    beforeAll(async () => {
      gateway = await openGateway({ home, config })
      client = await gateway.connect({ era })
    })
    afterAll(() => gateway?.close())
    checkCell(row, target, () => live(client))
  })
})

function live(client: GatewayClient | undefined): GatewayClient['client'] {
  if (client === undefined) throw new Error('The client is not connected.')
  return client.client
}
