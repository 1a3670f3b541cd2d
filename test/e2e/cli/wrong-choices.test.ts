// config validate with an unknown ranker or store, invalid patterns of logins, and a store that refuses its address.

import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createHome, run } from './harness.ts'

const home = createHome()
/** Refuses every command, as Redis does after a wrong password. */
const redis = createServer((socket) => {
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    const commands = String(chunk).match(/^\*\d+\r$/gm) ?? []
    socket.write('-WRONGPASS invalid username-password pair\r\n'.repeat(commands.length))
  })
})
beforeAll(() => new Promise<void>((resolve) => void redis.listen(0, '127.0.0.1', resolve)))
afterAll(async () => {
  redis.close()
  await home.remove()
})
const redisUrl = () => `redis://:secret@127.0.0.1:${(redis.address() as AddressInfo).port}`

it.each([
  ['an unknown ranker', () => ({ discovery: { search: { ranker: 'nothing' } } }), /there is no ranker 'nothing'/],
  ['an unknown store', () => ({ store: 'nothing' }), /there is no store 'nothing'/],
  [
    'an invalid tool pattern of a token',
    () => ({ http: { tokens: { ada: { token: 'a-token-with-more-than-16-characters', tools: ['/[/'] } } } }),
    /http\.tokens\.ada\.tools: /,
  ],
  [
    'an invalid tool pattern of a company login',
    () => ({
      http: { oauth: { issuer: 'https://a.example', audience: 'b', scopes: { read: { tools: ['/[/'] } } } },
    }),
    /http\.oauth\.scopes\.read\.tools: /,
  ],
  ['a store that refuses the password', () => ({ store: redisUrl() }), /refuses the user or the password/],
])('config validate reports %s once, as text and as JSON, with exit code 2', async (_, configOf, message) => {
  const file = home.write('config.json', configOf())
  const text = await run(home, ['config', 'validate', '--config', file])
  expect(text).toMatchObject({ code: 2, stderr: '' })
  expect(text.stdout).toMatch(/^✗ The configuration is not valid \(1 error, .*\)\n {2}error: /)
  expect(text.stdout.replace(/\s+/g, ' ')).toMatch(message)
  const json = await run(home, ['config', 'validate', '--json', '--config', file])
  expect(json.code).toBe(2)
  const { errors, ...report } = JSON.parse(json.stdout)
  expect(report).toMatchObject({ valid: false, file })
  expect(errors).toHaveLength(1)
  expect(`${errors[0].path}: ${errors[0].message}`).toMatch(message)
})
