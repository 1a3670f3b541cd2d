// The comparison of answers through the gateway with direct answers, and the list of public servers.

import { describe, expect, it } from 'vitest'
import { compareCalls, compareDetails, compareNames } from './compare.ts'
import { readServers } from './servers.ts'
import { hasPassed } from './summary.ts'

const tool = {
  name: 'add',
  description: 'Adds.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' } } },
}
const result = { content: [{ type: 'text', text: '3' }], isError: false, _meta: {} }
const good = { ...result, structuredContent: { success: true, result: '3' } }

describe('the comparison of names', () => {
  it('compareNames reports a missing tool, an added tool and another order', () => {
    const two = [tool, { ...tool, name: 'sub' }]
    expect(compareNames(two, ['add', 'sub'])).toEqual([])
    expect(compareNames(two, ['sub', 'add'])).toEqual(['the order differs'])
    expect(compareNames(two, ['add', 'mul'])).toEqual(["'sub' is missing", "'mul' is added"])
  })
})

describe('the comparison of details', () => {
  it('compareDetails reports another description and another schema', () => {
    expect(compareDetails(tool, { description: 'Adds.', schema: tool.inputSchema })).toEqual([])
    expect(compareDetails(tool, { description: 'Add.', schema: tool.inputSchema })).toHaveLength(1)
    expect(compareDetails(tool, { description: 'Adds.', schema: { type: 'object' } })).toHaveLength(1)
    expect(compareDetails(tool, { success: false })).toHaveLength(2)
  })
})

describe('the comparison of calls', () => {
  it('compareCalls accepts the same result, and reports other content, another isError and a JSON-RPC error', () => {
    expect(compareCalls({ result }, { result: good })).toEqual([])
    expect(compareCalls({ result }, { result: { ...good, content: [] } })).toHaveLength(1)
    expect(compareCalls({ result }, { result: { ...good, isError: true } })).toHaveLength(1)
    expect(compareCalls({ result }, { error: 'lost' })).toEqual(["JSON-RPC error 'lost'"])
  })

  it('compareCalls reports lost metadata and lost structured content', () => {
    const direct = { ...result, _meta: { id: 1 }, structuredContent: { sum: 3 } }
    const wrapped = { ...direct, structuredContent: { success: true, result: { sum: 3 } } }
    expect(compareCalls({ result: direct }, { result: wrapped })).toEqual([])
    expect(compareCalls({ result: direct }, { result: { ...wrapped, _meta: {} } })).toHaveLength(1)
    expect(compareCalls({ result: direct }, { result: { ...wrapped, structuredContent: undefined } })).toHaveLength(2)
  })

  it('compareCalls expects the message of a JSON-RPC error in a failed result', () => {
    const failed = { ...result, isError: true, content: [{ type: 'text', text: '{"message":"no \\"a\\""}' }] }
    expect(compareCalls({ error: 'no "a"' }, { result: failed })).toEqual([])
    expect(compareCalls({ error: 'no "b"' }, { result: failed })).toHaveLength(1)
    expect(compareCalls({ error: 'no "a"' }, { result: { ...failed, isError: false } })).toHaveLength(1)
  })

  it('compareCalls ignores only the parts that vary', () => {
    const at = (text: string) => ({ result: { ...result, content: [{ type: 'text', text }] } })
    expect(compareCalls(at('id 1, ok'), at('id 2, ok'), ['\\d'])).toEqual([])
    expect(compareCalls(at('id 1, ok'), at('id 2, bad'), ['\\d'])).toHaveLength(1)
  })
})

describe('a known difference', () => {
  const differs = { details: { matches: '^schema of', reason: 'It is odd.' } }
  const passes = (...differences: readonly string[]) => hasPassed({ differs }, { check: 'details', differences })

  it('a check with a known difference passes only if that difference occurs and nothing else differs', () => {
    expect(passes("schema of 'a'")).toBe(true)
    expect(passes()).toBe(false)
    expect(passes("schema of 'a'", "description of 'a'")).toBe(false)
    expect(hasPassed({ differs }, { check: 'call', differences: ["schema of 'a'"] })).toBe(false)
  })
})

describe('the list of servers', () => {
  const servers = readServers('test/wild/servers.json')

  it('servers.json lists at least 40 servers, each once and at an exact version, and five for the short form', () => {
    expect(servers.length).toBeGreaterThanOrEqual(40)
    expect(new Set(servers.map(({ name }) => name)).size).toBe(servers.length)
    expect(servers.filter(({ version }) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
    expect(servers.filter(({ short }) => short)).toHaveLength(5)
  })
})
