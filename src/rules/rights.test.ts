import { describe, expect, it } from 'vitest'
import type { Rights } from '../core/rights.ts'
import type { DescribedTool } from '../core/tool.ts'
import { compileRights, statesReadOnly } from './rights.ts'
import { visibilityOf } from './visibility.ts'

function toolOf(sourceId: string, name: string, fields: Partial<DescribedTool> = {}): DescribedTool {
  const id = `${sourceId}:${name}`
  return {
    id,
    name,
    sourceId,
    listedName: id,
    category: sourceId,
    description: '',
    inputSchema: {},
    traits: {},
    ...fields,
  }
}

const allows = (rights: Rights, server: string, tool: string) => compileRights(rights).allowsTool(toolOf(server, tool))

describe('compileRights', () => {
  it.each<[Rights, string, string, boolean]>([
    [{}, 'files', 'read', true],
    [{ servers: ['files'] }, 'files', 'read', true],
    [{ servers: ['files'] }, 'files2', 'read', false],
    [{ servers: [] }, 'files', 'read', false],
    [{ servers: ['*'] }, 'files', 'read', false],
    [{ tools: [] }, 'files', 'read', false],
    [{ tools: ['read'] }, 'files', 'read', true],
    [{ tools: ['read'] }, 'files', 'read_all', false],
    [{ tools: ['files_*'] }, 'files', 'read', true],
    [{ tools: ['files:read'] }, 'files', 'read', true],
    [{ tools: ['files:read'] }, 'other', 'read', false],
    [{ tools: ['/^read/'] }, 'files', 'read_all', true],
    [{ tools: ['*', '!*delete*'] }, 'files', 'read', true],
    [{ tools: ['*', '!*delete*'] }, 'files', 'delete', false],
    [{ tools: ['!delete'] }, 'files', 'read', true],
    [{ tools: ['!files_*'] }, 'files', 'read', false],
    [{ servers: ['files'], tools: ['read'] }, 'other', 'read', false],
    [{ servers: ['files'], tools: ['read'] }, 'files', 'write', false],
  ])('with rights %j, allowsTool for %s:%s is %s', (rights, server, tool, expected) => {
    expect(allows(rights, server, tool)).toBe(expected)
  })

  it('allows no tool if one of the patterns cannot be read', () => {
    expect(allows({ tools: ['*', '/(/'] }, 'files', 'read')).toBe(false)
    expect(allows({ tools: ['*', '!/(/'] }, 'files', 'read')).toBe(false)
  })

  it('shows an allowed server always if the rights have no tool patterns, else only if they name it and its tools are unknown', () => {
    const shows = (rights: Rights) => [false, true].map((isListed) => compileRights(rights).showsServer('a', isListed))
    expect(shows({ servers: ['a'], tools: ['x'] })).toEqual([true, false])
    expect(shows({ tools: ['a_*'] })).toEqual([true, false])
    expect(shows({ tools: ['a:x'] })).toEqual([true, false])
    expect(shows({ tools: ['x*', '!a_x', '/a/'] })).toEqual([false, false])
    expect(shows({ servers: ['b'], tools: ['a_*'] })).toEqual([false, false])
    expect(shows({ readOnly: true })).toEqual([true, true])
  })

  it('allows prompts and resources of a server, but not with rights to single tools', () => {
    const allows = (rights: Rights) => compileRights(rights).allowsFeatures('a')
    expect(allows({ servers: ['a'] })).toBe(true)
    expect(allows({ readOnly: true })).toBe(true)
    expect(allows({ servers: ['b'] })).toBe(false)
    expect(allows({ servers: ['a'], tools: ['*'] })).toBe(false)
    expect(allows({ anyOf: [{ tools: ['x'] }, { servers: ['a'] }] })).toBe(true)
  })

  it('allows with `anyOf` what at least one of the rights allows, and does not mix their fields', () => {
    const rights = { anyOf: [{ servers: ['a'], tools: ['read'] }, { servers: ['b'] }] }
    expect(allows(rights, 'a', 'read')).toBe(true)
    expect(allows(rights, 'a', 'write')).toBe(false)
    expect(allows(rights, 'b', 'write')).toBe(true)
    expect(allows({ anyOf: [] }, 'a', 'read')).toBe(false)
  })

  it('always allows the tools of the gateway itself', () => {
    const tool = toolOf('commands', 'afd-help', { builtin: true })
    expect(compileRights({ servers: [], tools: [], readOnly: true }).allowsTool(tool)).toBe(true)
  })
})

describe('read-only rights', () => {
  it.each<[string, boolean, Partial<DescribedTool>]>([
    ['states that it only reads', true, { annotations: { readOnlyHint: true } }],
    ['is a command without mutation', true, { traits: { mutation: false } }],
    ['states nothing', false, {}],
    ['has other hints only', false, { annotations: { idempotentHint: true, destructiveHint: false } }],
    ['states that it writes', false, { annotations: { readOnlyHint: false } }],
    ['has contradicting hints', false, { annotations: { readOnlyHint: true, destructiveHint: true } }],
    ['has contradicting hints, one a text', false, { annotations: { readOnlyHint: true, destructiveHint: 'true' } }],
    ['is a command with mutation', false, { traits: { mutation: true }, annotations: { readOnlyHint: true } }],
    ['has a hint that is a text', false, { annotations: { readOnlyHint: 'true' } }],
  ])('for a tool that %s, statesReadOnly is %s', (_what, expected, fields) => {
    const tool = toolOf('files', 'x', fields)
    expect(statesReadOnly(tool)).toBe(expected)
    expect(compileRights({ readOnly: true }).allowsTool(tool)).toBe(expected)
  })
})

describe('visibilityOf with rights', () => {
  it('answers `absent` before every other degree', () => {
    const rights = { servers: ['other'] }
    const hidden = toolOf('files', 'read', { disabled: {}, unexposed: true, needsSession: true })
    expect(visibilityOf(hidden, { rights, hasSession: false, context: 'x' })).toEqual({ degree: 'absent' })
    expect(visibilityOf(hidden, { hasSession: false }).degree).toBe('unexposed')
  })
})
