// The address of a Redis server: `redis://user:password@host:6379/0?prefix=team`, or `rediss://` for TLS.

import { defined } from '../core/defined.ts'

export interface RedisAddress {
  readonly host: string
  readonly port: number
  readonly username?: string
  readonly password?: string
  readonly db: number
  readonly isTls: boolean
  /** The first part of every key. Gateways with different prefixes share nothing. */
  readonly prefix: string
  /** The address without user and password, for messages. */
  readonly shown: string
}

export const REDIS_SCHEMES = ['redis:', 'rediss:'] as const

const DEFAULT_PORT = 6379
const DEFAULT_PREFIX = 'toolcrib'

type Parsed =
  | { readonly ok: true; readonly address: RedisAddress }
  | { readonly ok: false; readonly reason: string; readonly todo: string }

const FORM = 'Write redis://user:password@host:6379/0?prefix=team; only redis:// and the host are required.'

/**
 * A reason contains no part of the address. The URL parser ends the host at the first `/`, `?` or `#`, so in
 * `redis://admin:123?secret@host` it finds the host `admin` and the option `secret@host`.
 */
export function parseRedisAddress(text: string): Parsed {
  const refuse = (reason: string) => ({ ok: false, reason, todo: FORM }) as const
  if (!URL.canParse(text)) return refuse('it is not a valid address')
  const url = new URL(text)
  const notEncoded = 'its user or password is not URL-encoded'
  if (`${url.pathname}${url.search}${url.hash}`.includes('@')) return refuse(notEncoded)
  const path = url.pathname.replace(/^\//, '')
  if (url.hostname === '') return refuse('its address has no host')
  if (!/^\d*$/.test(path)) return refuse('the path of its address is not the number of a database')
  if ([...url.searchParams.keys()].some((name) => name !== 'prefix'))
    return refuse("its address has an option that is not 'prefix'")
  if (url.hash !== '') return refuse("its address has a '#'")
  const prefix = url.searchParams.get('prefix') ?? DEFAULT_PREFIX
  if (!/^[\w.-]{1,64}$/.test(prefix))
    return refuse('its prefix does not consist of 1 to 64 letters, digits, dots, dashes or underscores')
  const [username, password] = [decodeUrlPart(url.username), decodeUrlPart(url.password)]
  if (username === undefined || password === undefined) return refuse(notEncoded)
  const port = url.port === '' ? DEFAULT_PORT : Number(url.port)
  const db = path === '' ? 0 : Number(path)
  return {
    ok: true,
    address: defined({
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port,
      username: username || undefined,
      password: password || undefined,
      db,
      isTls: url.protocol === 'rediss:',
      prefix,
      shown: `${url.protocol}//${url.hostname}:${port}/${db}`,
    }),
  }
}

function decodeUrlPart(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
