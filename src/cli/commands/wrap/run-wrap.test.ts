import { describe, expect, it } from 'vitest'
import { strategyFrom } from './run-wrap.ts'

const choose = (flags: object) => strategyFrom({ header: [], http: false, auth: true, ...flags }, {})

describe('the strategy of toolcrib wrap', () => {
  it.each([
    [{}, 'auto', {}],
    [{ listing: 'full' }, 'categories', { listing: 'full' }],
    [{ core: 'read_*' }, 'categories', { core: ['read_*'], listing: 'hybrid' }],
    [{ core: 'read_*', listing: 'full' }, 'categories', { core: ['read_*'], listing: 'full' }],
    [{ strategy: 'capabilities', core: 'read_*' }, 'capabilities', { core: ['read_*'], listing: 'hybrid' }],
    [{ strategy: 'lazy', core: 'read_*' }, 'lazy', { core: ['read_*'] }],
  ])('the flags %j mean the strategy %s with the options %j', (flags, strategy, strategyOptions) => {
    expect(choose(flags)).toEqual({ strategy, strategyOptions })
  })

  it('the error for --core names --core, not the listing that it implies, if the strategy has no core', () => {
    expect(() => choose({ strategy: 'gateway', core: 'read_*' })).toThrow('--core is an option of')
  })
})
