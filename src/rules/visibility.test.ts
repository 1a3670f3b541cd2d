import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { takeSnapshot } from '../catalog/snapshot.ts'
import type { Tool } from '../core/tool.ts'
import { entryOf } from '../sources/source.fixture.ts'
import { isVisible, visibilityOf } from './visibility.ts'

function toolOf(fields: { unexposed?: boolean; contexts?: readonly string[] }): Tool {
  const { unexposed, contexts } = fields
  const entry = entryOf('todo-create', {
    traits: contexts === undefined ? {} : { contexts },
    ...(unexposed === undefined ? {} : { unexposed }),
  })
  const [tool] = takeSnapshot([{ sourceId: 's', entries: [entry] }]).tools
  if (tool === undefined) throw new Error('no tool')
  return tool
}

const context = fc.constantFrom('billing', 'support', 'admin')
const tool = fc
  .record({ unexposed: fc.boolean(), contexts: fc.uniqueArray(context) }, { requiredKeys: [] })
  .map((fields) => toolOf(fields))

describe('visibilityOf', () => {
  it.each([
    ['a tool without contexts is visible', {}, undefined, 'visible'],
    ['a tool without contexts is visible in every context', {}, 'billing', 'visible'],
    ['a tool with an empty list of contexts is visible in every context', { contexts: [] }, 'billing', 'visible'],
    ['a tool with a context is visible while no context is active', { contexts: ['billing'] }, undefined, 'visible'],
    ['a tool with the active context is visible', { contexts: ['support', 'billing'] }, 'billing', 'visible'],
    [
      'a tool with only other contexts is out of context',
      { contexts: ['support', 'admin'] },
      'billing',
      'out-of-context',
    ],
    ['a tool that is not exposed is unexposed', { unexposed: true }, undefined, 'unexposed'],
    [
      'a tool that is not exposed is unexposed in its own context',
      { unexposed: true, contexts: ['billing'] },
      'billing',
      'unexposed',
    ],
    [
      'a tool that is not exposed is unexposed in another context',
      { unexposed: true, contexts: ['support'] },
      'billing',
      'unexposed',
    ],
    ['a tool with `unexposed: false` is visible', { unexposed: false }, undefined, 'visible'],
  ])('%s', (_which, fields, active, degree) => {
    expect(visibilityOf(toolOf(fields), active === undefined ? {} : { context: active }).degree).toBe(degree)
  })

  it('returns the active context and the contexts of the tool if it is out of context', () => {
    expect(visibilityOf(toolOf({ contexts: ['support', 'admin'] }), { context: 'billing' })).toEqual({
      degree: 'out-of-context',
      active: 'billing',
      contexts: ['support', 'admin'],
    })
  })

  it('ignores contexts while none is active', () => {
    fc.assert(
      fc.property(tool, (one) => {
        const { contexts: _contexts, ...traits } = one.traits
        expect(visibilityOf(one, {})).toEqual(visibilityOf({ ...one, traits }, {}))
      }),
    )
  })

  it('shows in a context only tools that are also visible without one', () => {
    fc.assert(
      fc.property(tool, context, (one, active) => {
        if (isVisible(one, { context: active })) expect(isVisible(one, {})).toBe(true)
      }),
    )
  })

  it('returns the same answer from `isVisible` and `visibilityOf`', () => {
    fc.assert(
      fc.property(tool, fc.option(context, { nil: undefined }), (one, active) => {
        const scope = active === undefined ? {} : { context: active }
        expect(isVisible(one, scope)).toBe(visibilityOf(one, scope).degree === 'visible')
      }),
    )
  })
})
