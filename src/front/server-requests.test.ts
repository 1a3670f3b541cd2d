import { describe, expect, it } from 'vitest'
import type { ServerRequest } from '../core/call.ts'
import { canAnswer, canBeAsked, withoutProgressToken } from './server-requests.ts'

const elicitation = (params = {}): ServerRequest => ({ method: 'elicitation/create', params })
const sampling = (params = {}): ServerRequest => ({ method: 'sampling/createMessage', params })

describe('the capabilities of a client', () => {
  it.each([
    [undefined, false],
    [{}, false],
    [{ extensions: {} }, false],
    [{ sampling: undefined }, false],
    [{ elicitation: {} }, true],
    [{ sampling: {} }, true],
    [{ roots: {} }, true],
  ])('a client that declares %j can be asked something: %j', (capabilities, expected) => {
    expect(canBeAsked(capabilities)).toBe(expected)
  })

  it.each([
    [elicitation(), {}, false],
    [elicitation(), { sampling: {} }, false],
    [elicitation(), { elicitation: {} }, true],
    [elicitation({ mode: 'form' }), { elicitation: { form: {} } }, true],
    [elicitation({ mode: 'form' }), { elicitation: { url: {} } }, false],
    [elicitation({ mode: 'url' }), { elicitation: {} }, false],
    [elicitation({ mode: 'url' }), { elicitation: { url: {} } }, true],
    [sampling(), { sampling: {} }, true],
    [sampling(), { elicitation: {} }, false],
    [sampling({ tools: [] }), { sampling: {} }, false],
    [sampling({ toolChoice: {} }), { sampling: { tools: {} } }, true],
    [{ method: 'roots/list', params: {} } as const, { roots: {} }, true],
    [{ method: 'roots/list', params: {} } as const, { elicitation: {} }, false],
  ])('the request %j can be answered by a client that declares %j: %j', (request, capabilities, expected) => {
    expect(canAnswer(request, capabilities)).toBe(expected)
  })
})

describe('withoutProgressToken', () => {
  it('removes only the progress token of a request', () => {
    const params = { message: 'Name?', _meta: { progressToken: 3, 'x.test/trace': 't' } }
    expect(withoutProgressToken(elicitation(params)).params).toEqual({
      message: 'Name?',
      _meta: { 'x.test/trace': 't' },
    })
    const plain = elicitation({ message: 'Name?', _meta: { 'x.test/trace': 't' } })
    expect(withoutProgressToken(plain)).toEqual(plain)
  })
})
