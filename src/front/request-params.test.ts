// Requests with missing or invalid parameters get the protocol error, with the name of the parameter.

import type { StandardSchemaV1 } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { reference } from '../sources/upstream/upstream.fixture.ts'
import { accepting, connectAnsweringClient, doors, openTo, wrapFor } from './answering-client.fixture.ts'
import { eras } from './sdk-client.fixture.ts'

const anything: StandardSchemaV1<unknown, unknown> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) },
}
const ref = { type: 'ref/prompt', name: 'completable-prompt' }

const WRONG: readonly (readonly [string, object, string])[] = [
  ['prompts/get', {}, "Required field 'name' is missing"],
  ['prompts/get', { name: 4 }, "Field 'name': expected string, received number"],
  ['prompts/get', { name: 'x', arguments: { city: 4 } }, "Field 'arguments.city': expected string, received number"],
  ['completion/complete', {}, "Required field 'ref' is missing; Required field 'argument' is missing"],
  ['completion/complete', { ref }, "Required field 'argument' is missing"],
  ['resources/read', {}, "Required field 'uri' is missing"],
  ['resources/read', { uri: {} }, "Field 'uri': expected string, received object"],
  ['tools/call', { arguments: {} }, "Required field 'name' is missing"],
  ['prompts/list', { cursor: 5 }, "Field 'cursor': expected string, received number"],
]
const WRONG_LEGACY: typeof WRONG = [
  ['resources/subscribe', {}, "Required field 'uri' is missing"],
  ['resources/unsubscribe', { uri: 5 }, "Field 'uri': expected string, received number"],
  ['logging/setLevel', {}, "Required field 'level' is missing"],
  ['logging/setLevel', { level: 'loud' }, `Field 'level': Invalid option: expected one of "debug"|"info"`],
]

describe.each(eras.flatMap((era) => doors.map((door) => [era, door] as const)))('%s over %s', (era, door) => {
  it('refuses invalid parameters and names the problem', async () => {
    const { front, problems } = await wrapFor(reference('everything', 'stdio'))
    const { client } = await connectAnsweringClient((await openTo({ front }, door))(), era, accepting())
    for (const [method, params, reason] of era === 'legacy' ? [...WRONG, ...WRONG_LEGACY] : WRONG) {
      const answer = client.request({ method, params: { ...params } }, anything)
      const message = expect.stringContaining(`Invalid params for ${method}: ${reason}`)
      await expect(answer, method).rejects.toMatchObject({ code: -32_602, message })
    }
    // The connection and the server still work.
    expect((await client.listTools()).tools.length).toBeGreaterThan(5)
    expect(problems).toEqual([])
  })
})
