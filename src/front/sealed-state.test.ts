import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openState, sealState } from './sealed-state.ts'

describe('a sealed state', () => {
  it('opens for its owner as it was, and for nobody else', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (state, owner, other) => {
        const sealed = sealState(state, owner)
        expect(openState(sealed, owner)).toBe(state)
        if (other !== owner) expect(openState(sealed, other)).toBeUndefined()
      }),
    )
  })

  it('does not open where it was changed, or was never sealed', () => {
    const sealed = sealState('order-1', 'alice')
    for (const forged of [`${sealed}x`, sealed.replace('order-1', 'order-2'), 'order-1', '', 'sealed..order-1']) {
      expect(openState(forged, 'alice')).toBeUndefined()
    }
  })
})
