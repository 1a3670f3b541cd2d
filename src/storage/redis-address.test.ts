import { expect, it } from 'vitest'
import { parseRedisAddress } from './redis-address.ts'

it('reads the host, the port, the user, the password, the database and the prefix of an address', () => {
  const parsed = parseRedisAddress('rediss://anna:a%3Fb@example.com:7000/2?prefix=team')
  expect(parsed).toEqual({
    ok: true,
    address: {
      host: 'example.com',
      port: 7000,
      username: 'anna',
      password: 'a?b',
      db: 2,
      isTls: true,
      prefix: 'team',
      shown: 'rediss://example.com:7000/2',
    },
  })
})

it.each([
  'redis://admin:123?topsecret@host',
  'redis://admin:123?topsecret&x@host',
  'redis://admin:123?topsecret%40host',
  'redis://admin:123?topsecret',
  'redis://admin:123?prefix=topsecret@host',
  'redis://admin:123/topsecret@host',
  'redis://admin:123/4#topsecret@host',
  'redis://admin:top?secret@host',
])('refuses %s without showing any part of it', (text) => {
  const parsed = parseRedisAddress(text)
  if (parsed.ok) return expect.fail('the address was accepted')
  expect(`${parsed.reason} ${parsed.todo.replace(/redis:\/\/\S+/, '')}`).not.toMatch(/admin|123|top|secret|@/)
})

it.each(['redis://admin:123?topsecret@host', 'redis://admin:123/4#topsecret@host'])(
  'refuses %s, because its password is not URL-encoded',
  (text) => {
    expect(parseRedisAddress(text)).toMatchObject({ reason: 'its user or password is not URL-encoded' })
  },
)
