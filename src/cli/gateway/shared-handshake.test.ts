import { expect, it } from 'vitest'
import type { LoadedConfig } from '../../config/load/load.ts'
import {
  differingVariables,
  isClientName,
  joinReply,
  joinRequest,
  readJoin,
  readJoinReply,
} from './shared-handshake.ts'

const connection = { type: 'stdio', command: 'server', args: [], env: { KEY: `\${TOKEN}`, URL: `\${HOST:-local}` } }
const variables = { TOKEN: 'secret-1', OTHER: 'secret-2' }
const loaded = { servers: [{ name: 'one', connection }], variables, config: { people: {} } }
// The function reads only these fields.
const gateway = { loaded: loaded as unknown as LoadedConfig }

it('the reply to a client that joins has only the variables that servers refer to, without their values', () => {
  const reply = joinReply(gateway)
  expect(Object.keys(reply.variables)).toEqual(['TOKEN', 'HOST'])
  expect(JSON.stringify(reply)).not.toContain('secret')
  expect(readJoinReply(JSON.stringify(reply))).toEqual(reply)
})

it.each([
  [{ TOKEN: 'secret-1' }, []],
  [{}, []],
  [{ TOKEN: 'secret-9' }, ['TOKEN']],
  // The gateway has no value, so its server uses the default.
  [{ TOKEN: 'secret-1', HOST: 'example.com' }, ['HOST']],
])('a client with the variables %j differs from the gateway in %j', (env, expected) => {
  expect(differingVariables(joinReply(gateway), env)).toEqual(expected)
})

it.each(['', 'a b', 'a\nb', '../x', 'x'.repeat(65), 'ü'])('%j is not a name of a client', (name) => {
  expect(isClientName(name)).toBe(false)
})

it('the request to join and its reply are read, and other lines are refused', () => {
  expect(readJoin(joinRequest('claude-code'))).toBe('claude-code')
  for (const line of ['status', 'join', 'join a b', 'xjoin a']) expect(readJoin(line)).toBeUndefined()
  for (const line of ['', 'no json', '{"error":"unknown request"}', '[]']) expect(readJoinReply(line)).toBeUndefined()
})
