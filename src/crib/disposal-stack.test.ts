import { describe, expect, it } from 'vitest'
import { type DisposalStack, openAll } from './disposal-stack.ts'

function opener(closed: string[]) {
  const part = (name: string) => ({
    async [Symbol.asyncDispose]() {
      closed.push(name)
      if (name === 'broken') throw new Error('cannot be closed')
    },
  })
  return async (stack: DisposalStack) => {
    stack.use(part('first'))
    stack.use(part('broken'))
    stack.defer(() => closed.push('last'))
    return stack
  }
}

describe('openAll', () => {
  it('closes the parts once, the last part first, even if one of them cannot be closed', async () => {
    const closed: string[] = []
    const stack = await openAll(opener(closed))
    expect(closed).toEqual([])
    await Promise.all([stack[Symbol.asyncDispose](), stack[Symbol.asyncDispose]()])
    expect(closed).toEqual(['last', 'broken', 'first'])
  })

  it('closes the parts that are already open if opening another part fails', async () => {
    const closed: string[] = []
    const failing = openAll(async (stack) => {
      await opener(closed)(stack)
      throw new Error('no more')
    })
    await expect(failing).rejects.toThrow('no more')
    expect(closed).toEqual(['last', 'broken', 'first'])
  })
})
