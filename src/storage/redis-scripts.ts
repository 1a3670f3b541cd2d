// Lua scripts, which Redis runs in one step: they change an entry and notify its watchers, release locks, check limits.

import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'

const SCRIPTS = {
  /** KEYS: the entry. ARGV: the channel, the name of the entry, the text, the time to live in ms (0: no expiry). */
  set: `
if ARGV[4] == '0' then redis.call('SET', KEYS[1], ARGV[3]) else redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4]) end
redis.call('PUBLISH', ARGV[1], ARGV[2])
return 1`,
  /** Publishes nothing if the entry did not exist. */
  delete: `
if redis.call('DEL', KEYS[1]) == 1 then redis.call('PUBLISH', ARGV[1], ARGV[2]) end
return 1`,
  /** ARGV: as `set`, then the text before ('' if the entry did not exist). Returns 0 if another process was faster. */
  replace: `
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[5] then return 0 end
if ARGV[4] == '0' then redis.call('SET', KEYS[1], ARGV[3]) else redis.call('SET', KEYS[1], ARGV[3], 'PX', ARGV[4]) end
redis.call('PUBLISH', ARGV[1], ARGV[2])
return 1`,
  /** As `replace`, but deletes the entry. ARGV: the channel, the name of the entry, the text before. */
  remove: `
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[3] then return 0 end
if redis.call('DEL', KEYS[1]) == 1 then redis.call('PUBLISH', ARGV[1], ARGV[2]) end
return 1`,
  /** Removes a lock only if this process still holds it. ARGV: the mark of the holder. */
  release: `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`,
  /**
   * A token bucket: it holds `limit` calls and is refilled evenly. The entry expires one window after the last accepted
   * call; the bucket is full again by then. Uses the clock of Redis, because the clocks of gateways differ. ARGV: the
   * limit, the window in ms. Returns 0, or the wait in ms.
   */
  take: `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local left, at = string.match(redis.call('GET', KEYS[1]) or '', '^(%S+) (%S+)$')
left, at = tonumber(left) or limit, tonumber(at) or now
left = math.min(limit, left + math.max(0, now - at) * limit / window)
if left < 1 - 1e-9 then return math.ceil((1 - left) * window / limit) end
redis.call('SET', KEYS[1], string.format('%.17g %.17g', left - 1, now), 'PX', window)
return 0`,
  /** A sorted set of the holders of slots, by the time when a slot expires. ARGV: holder, limit, time to live in ms. */
  enter: `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local isNew = not redis.call('ZSCORE', KEYS[1], ARGV[1])
if isNew and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1`,
} as const

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
