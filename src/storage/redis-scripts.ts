// The changes of entries as Lua scripts: Redis changes an entry and notifies its watchers in one step.

import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'

/** KEYS: the entry. ARGV: the channel, the name of the entry, the text, the time to live in ms (0: no expiry). */
const SET = `
if ARGV[4] == '0' then redis.call('SET', KEYS[1], ARGV[3]) else redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4]) end
redis.call('PUBLISH', ARGV[1], ARGV[2])
return 1`

/** Publishes nothing if the entry did not exist. */
const DELETE = `
if redis.call('DEL', KEYS[1]) == 1 then redis.call('PUBLISH', ARGV[1], ARGV[2]) end
return 1`

/** ARGV: as SET, then the text before ('' if the entry did not exist). Returns 0 if another process was faster. */
const REPLACE = `
local now = redis.call('GET', KEYS[1])
if (now or '') ~= ARGV[5] then return 0 end
if ARGV[4] == '0' then redis.call('SET', KEYS[1], ARGV[3]) else redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4]) end
redis.call('PUBLISH', ARGV[1], ARGV[2])
return 1`

/** ARGV: the number to add, the time to live of a new entry in ms. No message: counters change all the time. */
const INCREMENT = `
local value = redis.call('INCRBY', KEYS[1], ARGV[1])
if ARGV[2] ~= '0' and redis.call('PTTL', KEYS[1]) < 0 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return value`

/** Removes a lock only if this process still holds it. ARGV: the mark of the holder. */
const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`

const SCRIPTS = { set: SET, delete: DELETE, replace: REPLACE, increment: INCREMENT, release: RELEASE } as const

const hashes = new Map<string, string>()

/** Sends the hash of the script, and the script itself only if Redis does not know it. */
export async function runScript(
  redis: Redis,
  name: keyof typeof SCRIPTS,
  key: string,
  args: readonly (string | number)[],
): Promise<unknown> {
  const script = SCRIPTS[name]
  const hash = hashes.get(name) ?? createHash('sha1').update(script).digest('hex')
  hashes.set(name, hash)
  try {
    return await redis.evalsha(hash, 1, key, ...args)
  } catch (error) {
    // Redis forgets scripts when it restarts.
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
    return redis.eval(script, 1, key, ...args)
  }
}
