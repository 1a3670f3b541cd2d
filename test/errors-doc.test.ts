// docs/errors.md lists the codes of the error table, and each row of the table has a message and a fix.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { errors } from '../src/core/errors.ts'

// Every field that a message or fix of the error table reads. A missing field is a type error below.
const sample = {
  actions: ['get', 'create'],
  active: 'support',
  afterMs: 30_000,
  capabilities: ['sampling'],
  command: 'toolcrib list',
  file: 'config.yaml',
  context: 'bills',
  contexts: ['billing', 'admin'],
  find: 'search_tools',
  handle: 'abc',
  id: 'git:push',
  kind: 'changed',
  list: 'list_mcp_servers',
  rule: 3,
  servers: ['git', 'hub'],
  discover: 'afd-discover',
  enter: 'afd-context-enter',
  failed: 2,
  given: 'config.json',
  group: 'order',
  hasBegun: true,
  hint: 'Send an email.',
  host: '0.0.0.0',
  origin: 'https://app.example.com',
  issues: [{ path: 'email', message: "Required field 'email' is missing" }],
  limit: 10,
  max: 100,
  method: 'tools/call',
  name: 'order-get',
  names: ['grouped', 'lazy'],
  people: 100,
  reason: 'it is wrong',
  reference: '$prev.id',
  retryAfterMs: 500,
  server: 'github',
  similar: ['order-create'],
  skipped: 1,
  step: 3,
  timeoutMs: 1_000,
  todo: 'Change it.',
  tools: ['afd-call', 'afd-batch'],
  total: 5,
  what: 'options',
  where: 'a batch',
  windowMs: 60_000,
}

interface DocRow {
  readonly code: string
  readonly when: string
  readonly todo: string
  readonly rpc: number
  readonly exit: number
}

describe('docs/errors.md', () => {
  const rows = readRows(readFileSync(new URL('../docs/errors.md', import.meta.url), 'utf8'))

  it('docs/errors.md lists exactly the codes of the error table, in the same order, with their numbers', () => {
    const documented = rows.map(({ code, rpc, exit }) => ({ code, rpc, exit }))
    const real = Object.entries(errors).map(([code, { rpc, exit }]) => ({ code, rpc, exit }))
    expect(documented).toEqual(real)
  })

  it.each(rows)('docs/errors.md explains when $code happens and what to do about it', ({ when, todo }) => {
    expect(when).toMatch(/\w+ \w+/)
    expect(todo).toMatch(/\w+ \w+/)
  })
})

describe('the parser of the table in docs/errors.md', () => {
  it('the parser reads codes and numbers, and skips the head of the table', () => {
    const text =
      '| code | when | what to do | JSON-RPC | exit |\n|---|---|---|---|---|\n| `A_B` | x \\| y | z | -32602 | 2 |\n'
    expect(readRows(text)).toEqual([{ code: 'A_B', when: 'x | y', todo: 'z', rpc: -32602, exit: 2 }])
  })
})

describe('every row of the error table', () => {
  it.each(Object.entries(errors))('%s has a message and a fix with all values filled in', (_, row) => {
    const message = row.message(sample)
    const fix = row.fix(sample)
    for (const text of [message, fix]) {
      expect(text.trim()).not.toBe('')
      expect(text).not.toMatch(/\bundefined\b|\bNaN\b|\[object /)
    }
    // A thrown error joins the two with a full stop, so the message must not end with one.
    expect(message).not.toMatch(/\.$/)
    expect(fix).toMatch(/\.$/)
  })
})

function readRows(markdown: string): DocRow[] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'))
      const [, code = '', when = '', todo = '', rpc, exit] = cells
      return { code: code.replaceAll('`', ''), when, todo, rpc: Number(rpc), exit: Number(exit) }
    })
}
