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

describe('visibility: a tool', () => {
  it.each([
    ['without contexts is visible', {}, undefined, 'visible'],
    ['without contexts is visible in every context', {}, 'billing', 'visible'],
    ['with an empty list of contexts is visible in every context', { contexts: [] }, 'billing', 'visible'],
    ['with a context is visible while no context is active', { contexts: ['billing'] }, undefined, 'visible'],
    ['with the active context is visible', { contexts: ['support', 'billing'] }, 'billing', 'visible'],
    ['with only other contexts is out of context', { contexts: ['support', 'admin'] }, 'billing', 'out-of-context'],
    ['that is not exposed is unexposed', { unexposed: true }, undefined, 'unexposed'],
    [
      'that is not exposed is unexposed in its own context',
      { unexposed: true, contexts: ['billing'] },
      'billing',
      'unexposed',
    ],
    [
      'that is not exposed is unexposed in another context',
      { unexposed: true, contexts: ['support'] },
      'billing',
      'unexposed',
    ],
    ['with `unexposed: false` is visible', { unexposed: false }, undefined, 'visible'],
  ])('%s', (_which, fields, active, degree) => {
    expect(visibilityOf(toolOf(fields), active === undefined ? {} : { context: active }).degree).toBe(degree)
  })

  it('that is out of context is returned with the active context and its own contexts', () => {
    expect(visibilityOf(toolOf({ contexts: ['support', 'admin'] }), { context: 'billing' })).toEqual({
      degree: 'out-of-context',
      active: 'billing',
      contexts: ['support', 'admin'],
    })
  })

  it('has a visibility that does not depend on contexts while none is active', () => {
    fc.assert(
      fc.property(tool, (one) => {
        const { contexts: _contexts, ...traits } = one.traits
        expect(visibilityOf(one, {})).toEqual(visibilityOf({ ...one, traits }, {}))
      }),
    )
  })

  it('that is visible in a context is also visible without one', () => {
    fc.assert(
      fc.property(tool, context, (one, active) => {
        if (isVisible(one, { context: active })) expect(isVisible(one, {})).toBe(true)
      }),
    )
  })

  it('is visible in `isVisible` exactly if its degree is visible', () => {
    fc.assert(
      fc.property(tool, fc.option(context, { nil: undefined }), (one, active) => {
        const scope = active === undefined ? {} : { context: active }
        expect(isVisible(one, scope)).toBe(visibilityOf(one, scope).degree === 'visible')
      }),
    )
  })
})
