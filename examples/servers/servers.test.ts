// Runs the example servers as separate processes with an MCP client. Needs the built examples.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { CommandResult } from 'toolcrib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ExampleServer, exampleServers } from './index.ts'

const servers = exampleServers(new URL('../../build/examples/servers/index.js', import.meta.url))
const TOOLS = { notes: 24, tracker: 27, shop: 25 }

describe('the list of servers', () => {
  it('there are three example servers with at least 60 tools together', () => {
    expect(servers.map(({ name }) => name)).toEqual(Object.keys(TOOLS))
    expect(Object.values(TOOLS).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(60)
  })
})

describe.each(servers)('$name', (server) => {
  const started = startOnce(server)

  it('an example server lists its tools with schemas, annotations and examples', async () => {
    const tools = await started.tools()
    expect(tools).toHaveLength(TOOLS[server.name as keyof typeof TOOLS]) // the test above compares the names
    for (const { name, description, inputSchema, annotations, _meta } of tools) {
      expect(description?.length, name).toBeGreaterThan(20)
      expect(inputSchema.type, name).toBe('object')
      expect(annotations, name).toHaveProperty('readOnlyHint')
      if (annotations?.readOnlyHint === false) expect(annotations, name).toHaveProperty('destructiveHint')
      expect(_meta, name).toHaveProperty('examples')
    }
  })

  it('an example server ends when its stdin closes', async () => {
    const child = spawn(server.command, [...server.args], { stdio: ['pipe', 'ignore', 'inherit'] })
    child.stdin.end()
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})

describe('notes', () => {
  const { data, error, content, progressOf } = startOnce(serverNamed('notes'))

  it('the notes server creates, lists, changes, reads and deletes a note', async () => {
    await data('create-note', { path: 'recipes/dal.md', body: '# Dal\nRed lentils.', tags: ['recipe'] })
    expect(await data('list-notes', { folder: 'recipes' })).toMatchObject({ items: [{ title: 'Dal' }], total: 1 })
    await data('edit-note', { path: 'recipes/dal.md', edits: [{ find: 'Red', replace: 'Yellow' }] })
    expect(await data('read-note', { path: 'recipes/dal.md' })).toMatchObject({ text: '# Dal\nYellow lentils.' })
    await data('delete-note', { path: 'recipes/dal.md' })
    expect(await data('list-notes', { folder: 'recipes' })).toMatchObject({ total: 0 })
    expect(await error('read-note', { path: 'recipes/dal.md' })).toMatchObject({
      code: 'NOTE_IN_TRASH',
      suggestion: expect.stringContaining('restore-note'),
    })
  })

  it('the notes server suggests the nearest path for an unknown path', async () => {
    expect(await error('read-note', { path: 'project/kitchen.md' })).toMatchObject({
      code: 'NOTE_NOT_FOUND',
      suggestion: expect.stringContaining("Did you mean 'projects/kitchen.md'?"),
    })
  })

  it('the notes server shows an example of a valid value if an argument is wrong', async () => {
    const reminder = { path: 'README.md', text: 'Read it', dueAt: 'tomorrow' }
    expect(await error('set-reminder', reminder)).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: "Invalid input for 'set-reminder': Field 'dueAt': not a time like 2026-03-02T09:00:00Z",
    })
  })

  it('the notes server rewrites links and moves reminders when a note moves', async () => {
    const moved = await data('move-note', { path: 'projects/newsletter.md', to: 'writing/newsletter.md' })
    expect(moved.rewritten).toEqual(['README.md', 'people/jonas-weber.md'])
    expect(await data('list-backlinks', { path: 'writing/newsletter.md' })).toMatchObject({
      backlinks: [{ from: 'README.md' }, { from: 'people/jonas-weber.md' }],
    })
    expect(await data('list-reminders', {})).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ id: 'rem-2', path: 'writing/newsletter.md' })]),
    })
  })

  it('edit-note changes nothing if one of its edits does not match', async () => {
    const edits = [
      { find: '# Marta Lopes', replace: '# Marta' },
      { find: 'not in there', replace: '' },
    ]
    expect(await error('edit-note', { path: 'people/marta-lopes.md', edits })).toMatchObject({
      code: 'EDIT_DOES_NOT_MATCH',
      message: expect.stringContaining('Edit 2 matches 0 places'),
    })
    expect(await data('read-note', { path: 'people/marta-lopes.md' })).toMatchObject({ title: 'Marta Lopes' })
  })

  it('the notes server reports the progress of an import', async () => {
    const notes = ['a', 'b', 'c'].map((name) => ({ path: `inbox/${name}.md`, body: name }))
    expect(await progressOf('import-notes', { notes })).toEqual([1, 2, 3])
  })

  it('the notes server returns an export as a file beside the result', async () => {
    expect(await content('export-notes', { folder: 'people' })).toMatchObject([
      { type: 'text' },
      { type: 'resource', resource: { mimeType: 'text/markdown', text: expect.stringContaining('# Marta Lopes') } },
    ])
  })

  it('the notes server exports an empty folder, and refuses a folder that does not exist', async () => {
    expect(await data('export-notes', { folder: 'archive' })).toMatchObject({ notes: 0 })
    expect(await error('export-notes', { folder: 'archives' })).toMatchObject({
      code: 'FOLDER_NOT_FOUND',
      suggestion: expect.stringContaining("Did you mean 'archive'?"),
    })
  })
})

describe('tracker', () => {
  const { data, error, content, progressOf } = startOnce(serverNamed('tracker'))

  it('the tracker creates, lists, changes, closes and deletes an issue', async () => {
    const { id } = await data('issue-create', { project: 'WEB', title: 'Export drops tags', type: 'bug' })
    expect(id).toBe('WEB-6')
    expect(await data('issue-list', { project: 'WEB' })).toMatchObject({ items: [{ id }, {}, {}, {}] })
    await data('issue-update', { issueId: id, assignee: 'bo', labels: ['regression'] })
    expect(await data('issue-get', { issueId: id })).toMatchObject({ assignee: 'bo', labels: ['regression'] })
    expect(await data('issue-close', { issueId: id, comment: 'Fixed.' })).toMatchObject({ status: 'closed' })
    expect(await data('comment-list', { issueId: id })).toMatchObject({ items: [{ body: 'Fixed.' }] })
    await data('issue-delete', { issueId: id })
    expect(await error('issue-get', { issueId: id })).toMatchObject({ code: 'ISSUE_NOT_FOUND' })
  })

  it('the tracker names the issue that blocks another, and the next call', async () => {
    expect(await error('issue-close', { issueId: 'WEB-3' })).toMatchObject({
      code: 'ISSUE_BLOCKED',
      message: expect.stringContaining('WEB-4'),
      suggestion: expect.stringContaining("issue-link with issueId 'WEB-4'"),
    })
  })

  it('the tracker refuses a milestone of another project', async () => {
    const input = { project: 'WEB', title: 'Dark start page', milestoneId: 'mil-2' }
    expect(await error('issue-create', input)).toMatchObject({
      code: 'OTHER_PROJECT',
      suggestion: "Call milestone-list with project 'WEB' and use one of those.",
    })
  })

  it('the tracker starts a sprint only after the active one is complete, and moves its unfinished issues', async () => {
    expect(await error('sprint-start', { sprintId: 'spr-3' })).toMatchObject({ code: 'SPRINT_ACTIVE' })
    const { moved } = await data('sprint-complete', { sprintId: 'spr-2', moveTo: 'spr-3' })
    expect(moved).toEqual(['WEB-3', 'WEB-4'])
    expect(await data('sprint-start', { sprintId: 'spr-3' })).toMatchObject({ state: 'active' })
  })

  it('the tracker draws a burndown chart', async () => {
    expect(await content('sprint-burndown', { sprintId: 'spr-1' })).toMatchObject([
      { type: 'text' },
      { type: 'image', mimeType: 'image/png', data: expect.stringMatching(/^iVBORw0KGgo/) },
    ])
  })

  it('the tracker reports the progress of an import', async () => {
    const issues = [{ title: 'Icon is blurred', labels: ['design'] }, { title: 'Splash screen stays' }]
    expect(await progressOf('issue-import', { project: 'APP', issues })).toEqual([1, 2])
    expect(await data('issue-list', { labels: ['design'] })).toMatchObject({ total: 1 })
  })
})

describe('shop', () => {
  const { data, error, content, progressOf } = startOnce(serverNamed('shop'))

  it('the shop creates, lists, changes and discontinues a product', async () => {
    const variants = [{ sku: 'TEA-MINT-50', name: '50 g', priceCents: 590, weightGrams: 60 }]
    const { id: productId } = await data('product-create', { name: 'Peppermint', group: 'tea', variants })
    expect(await data('product-list', { text: 'peppermint' })).toMatchObject({ items: [{ id: productId }] })
    await data('product-update', { productId, prices: [{ sku: 'TEA-MINT-50', priceCents: 640 }] })
    expect(await data('product-get', { productId })).toMatchObject({ variants: [{ priceCents: 640, onHand: 0 }] })
    await data('product-discontinue', { productId })
    expect(await data('product-list', { text: 'peppermint' })).toMatchObject({ total: 0 })
  })

  it('the shop processes an order from stock to refund', async () => {
    const lines = [{ sku: 'COF-HARB-250', quantity: 4 }]
    const order = { customerId: 'cus-2', lines, discountCode: 'SPRING10' }
    const { id: orderId, totalCents } = await data('order-place', order)
    expect(totalCents).toBe(Math.round(4 * 890 * 0.9))
    expect(await data('stock-level', { skus: ['COF-HARB-250'] })).toMatchObject({ items: [{ onHand: 80 }] })
    expect(await error('refund-create', { orderId, reason: 'late' })).toMatchObject({ code: 'ORDER_STATUS' })
    await data('shipment-create', { orderId, carrier: 'bike' })
    expect(await error('order-cancel', { orderId, reason: 'Too late' })).toMatchObject({
      code: 'ORDER_STATUS',
      suggestion: expect.stringContaining('refund-create'),
    })
    await data('refund-create', { orderId, amountCents: 1_000, reason: 'late' })
    expect(await error('refund-create', { orderId, amountCents: 2_205, reason: 'late' })).toMatchObject({
      code: 'REFUND_TOO_HIGH',
      suggestion: expect.stringContaining('2204 or less'),
    })
    expect(await data('refund-create', { orderId, reason: 'late' })).toMatchObject({ leftCents: 0 })
    expect(await data('order-get', { orderId })).toMatchObject({ status: 'refunded', refunds: [{}, {}] })
  })

  it('the shop refuses an order if two of its lines together request more than is in stock', async () => {
    const line = { sku: 'EQU-GRIN-BLK', quantity: 3 }
    expect(await error('order-place', { customerId: 'cus-1', lines: [line, line] })).toMatchObject({
      code: 'OUT_OF_STOCK',
      message: 'EQU-GRIN-BLK: 6 wanted, 5 in stock',
    })
  })

  it('the shop names the stock if more is taken out than there is', async () => {
    expect(await error('stock-adjust', { sku: 'EQU-GRIN-OAK', change: -1, reason: 'damage' })).toMatchObject({
      code: 'STOCK_BELOW_ZERO',
      message: 'The stock of EQU-GRIN-OAK is 0, so 1 cannot be taken out',
      suggestion: 'If there are more, call stock-count with the number on the shelf.',
    })
  })

  it('the shop does not suggest an erased customer', async () => {
    await data('customer-erase', { customerId: 'cus-3' })
    const { suggestion } = await error('customer-update', { customerId: 'cus-3', wantsNews: true })
    expect(suggestion).not.toContain('cus-3')
  })

  it('the shop draws a barcode and links to the page of a parcel', async () => {
    expect(await content('product-barcode', { sku: 'GIF-TAST-6' })).toMatchObject([
      { type: 'text' },
      { type: 'image', mimeType: 'image/png' },
    ])
    expect(await content('shipment-track', { trackingCode: 'TRK-000001' })).toMatchObject([
      { type: 'text' },
      { type: 'resource_link', uri: 'https://post.example/track/TRK-000001' },
    ])
  })

  it('the shop reports progress after each day of a sales report', async () => {
    expect(await progressOf('sales-report', { from: '2026-02-27' })).toEqual([1, 2, 3, 4])
  })
})

function serverNamed(name: string): ExampleServer {
  const server = servers.find((one) => one.name === name)
  if (server === undefined) throw new Error(`There is no example server '${name}'.`)
  return server
}

/** One process and one client for the tests of a block, which share its records. */
function startOnce({ command, args }: ExampleServer) {
  const client = new Client({ name: 'test-client', version: '1.0.0' })
  beforeAll(() => client.connect(new StdioClientTransport({ command, args: [...args], stderr: 'inherit' })))
  afterAll(() => client.close())

  const call = async (name: string, input: Record<string, unknown>) => {
    const { content, structuredContent } = await client.callTool({ name, arguments: input })
    // Every command server sends structuredContent; the tests check its fields.
    return { content, result: structuredContent as unknown as CommandResult<Record<string, unknown>> }
  }
  return {
    content: async (name: string, input: Record<string, unknown>) => (await call(name, input)).content,
    tools: async () => (await client.listTools()).tools,
    async data(name: string, input: Record<string, unknown>) {
      const { result } = await call(name, input)
      if (result.data === undefined) throw new Error(`${name}: ${result.error?.message}`)
      return result.data
    },
    async error(name: string, input: Record<string, unknown>) {
      const { result } = await call(name, input)
      if (result.error === undefined) throw new Error(`${name} succeeded.`)
      return result.error
    },
    async progressOf(name: string, input: Record<string, unknown>) {
      const received: number[] = []
      // Does not use `onprogress`, because the SDK drops the last message if it arrives together with the answer.
      client.setNotificationHandler('notifications/progress', ({ params }) => void received.push(params.progress))
      await client.callTool({ name, arguments: input, _meta: { progressToken: name } })
      return received
    },
  }
}
