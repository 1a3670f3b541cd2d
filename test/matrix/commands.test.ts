// The matrix over commands: every strategy, over stdio and HTTP, in both eras.

import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe } from 'vitest'
import { commandServer } from '../fixtures/matrix-commands.ts'
import { checkCell } from './checks.ts'
import { type Row, rowsFor, type Target } from './table.ts'

const ENTRY = fileURLToPath(new URL('../../build/test/fixtures/matrix-commands-entry.js', import.meta.url))
const MODERN = '2026-07-28'

const target: Target = {
  listed: 'note-append',
  group: 'note',
  action: 'append',
  category: 'note',
  words: 'append',
  query: 'append a line to the notes',
  input: { text: 'milk' },
  output: 'note-append: milk',
  parameter: 'text',
  badInput: {},
  wrong: 'note-apend',
  hidden: 'note-obliterate',
  hiddenCode: 'COMMAND_NOT_EXPOSED',
}

type Open = (row: Row) => Promise<{ readonly transport: Transport; close(): Promise<void> }>

/** A subclass, because the SDK probes the era of its own class with a second process. */
class ChildTransport extends StdioClientTransport {}

const doors: Readonly<Record<string, Open>> = {
  async stdio({ strategy, options }) {
    const args = [ENTRY, strategy, JSON.stringify(options)]
    const transport = new ChildTransport({ command: process.execPath, args, stderr: 'ignore' })
    return { transport, close: async () => {} }
  },
  async http({ strategy, options }) {
    const server = commandServer(strategy, options, { transport: 'http', port: 0 })
    await server.start()
    const transport = new StreamableHTTPClientTransport(new URL(`${server.getUrl()}/mcp`))
    return { transport, close: () => server.stop() }
  },
}

describe.each(rowsFor('note-*'))('$title over commands', (row) => {
  describe.each(Object.keys(doors))('over %s', (door) => {
    describe.each(['legacy', 'modern'] as const)('in the %s era', (era) => {
      const mode = era === 'legacy' ? ('legacy' as const) : { pin: MODERN }
      const client = new Client({ name: 'matrix', version: '1.0.0' }, { versionNegotiation: { mode } })
      let close = async () => {}
      beforeAll(async () => {
        const opened = await doors[door]?.(row)
        if (opened === undefined) throw new Error(`No door ${door}`)
        close = opened.close
        await client.connect(opened.transport)
      })
      afterAll(async () => {
        await client.close()
        await close()
      })
      checkCell(row, target, () => client)
    })
  })
})
