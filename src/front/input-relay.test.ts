import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openState, sealState } from './input-relay.ts'

describe('a sealed state', () => {
  it('returns the state to its owner only', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (state, owner, other) => {
        const sealed = sealState(state, owner)
        expect(openState(sealed, owner)).toBe(state)
        if (other !== owner) expect(openState(sealed, other)).toBeUndefined()
      }),
    )
  })

  it('rejects a state that was changed or never sealed', () => {
    const sealed = sealState('order-1', 'alice')
    for (const forged of [`${sealed}x`, sealed.replace('order-1', 'order-2'), 'order-1', '', 'sealed..order-1']) {
      expect(openState(forged, 'alice')).toBeUndefined()
    }
  })
})
