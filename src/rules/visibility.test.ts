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

describe('the visibility of a tool', () => {
  it.each([
    ['that says nothing', {}, undefined, 'visible'],
    ['that says nothing, in a context', {}, 'billing', 'visible'],
    ['of no context, in a context', { contexts: [] }, 'billing', 'visible'],
    ['of a context, with none active', { contexts: ['billing'] }, undefined, 'visible'],
    ['of the active context', { contexts: ['support', 'billing'] }, 'billing', 'visible'],
    ['of other contexts', { contexts: ['support', 'admin'] }, 'billing', 'out-of-context'],
    ['that is not exposed', { unexposed: true }, undefined, 'unexposed'],
    ['that is not exposed, in its own context', { unexposed: true, contexts: ['billing'] }, 'billing', 'unexposed'],
    ['that is not exposed, in another context', { unexposed: true, contexts: ['support'] }, 'billing', 'unexposed'],
    ['that says it is not unexposed', { unexposed: false }, undefined, 'visible'],
  ])('%s', (_which, fields, active, degree) => {
    expect(visibilityOf(toolOf(fields), active === undefined ? {} : { context: active }).degree).toBe(degree)
  })

  it('out of context says what is active and what would do', () => {
    expect(visibilityOf(toolOf({ contexts: ['support', 'admin'] }), { context: 'billing' })).toEqual({
      degree: 'out-of-context',
      active: 'billing',
      contexts: ['support', 'admin'],
    })
  })

  it('does not depend on contexts while none is active', () => {
    fc.assert(
      fc.property(tool, (one) => {
        const { contexts: _contexts, ...traits } = one.traits
        expect(visibilityOf(one, {})).toEqual(visibilityOf({ ...one, traits }, {}))
      }),
    )
  })

  it('in a context is never more than without one', () => {
    fc.assert(
      fc.property(tool, context, (one, active) => {
        if (isVisible(one, { context: active })) expect(isVisible(one, {})).toBe(true)
      }),
    )
  })

  it('is one answer, asked as a degree or as a claim', () => {
    fc.assert(
      fc.property(tool, fc.option(context, { nil: undefined }), (one, active) => {
        const scope = active === undefined ? {} : { context: active }
        expect(isVisible(one, scope)).toBe(visibilityOf(one, scope).degree === 'visible')
      }),
    )
  })
})
