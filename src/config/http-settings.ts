// The settings of the HTTP front door: its public address, its metrics page, tokens with their rights, and logins.

import { isIP } from 'node:net'
import { z } from 'zod'
import { defined } from '../core/defined.ts'
import { isLoopback } from '../core/is-loopback.ts'
import { check } from './check.ts'
import type { ConfigProblem } from './problem.ts'

/** A name, `*.` before a name for all its subdomains, or an IPv6 address in brackets; each with a port or without. */
const HOST = /^(?:(?:\*\.)?[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/
/** Pages of browser extensions have schemes of their own. */
const ORIGIN = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^\s/?#@\\*]+\/?$/
const PATH = /^(?:\/|(?:\/(?!\.{1,2}(?:\/|$))[A-Za-z0-9._~-]+)+\/?)$/

export const addressShape = {
  /** The names by which clients reach the server, in addition to loopback names and the address it listens on. */
  allowedHosts: z.array(z.string().regex(HOST, "a host such as 'tools.example.com', without 'https://'")).default([]),
  /** The origins of web pages that may call the server, in addition to pages on loopback. */
  allowedOrigins: z.array(z.string().regex(ORIGIN, "an origin such as 'https://app.example.com'")).default([]),
  /** The proxies that may set X-Forwarded headers: the one that connects (true), or those with these addresses. */
  trustProxy: z
    .union([
      z.boolean(),
      z.array(z.string().refine(isAddressOrRange, "an address or a range such as '10.0.0.0/8'")).min(1),
    ])
    .default(false),
  /** The path before `/mcp`. */
  basePath: z.string().regex(PATH, "a path such as '/tools'").default('/'),
  /** Files in PEM format. They are read again when they change. */
  tls: z.strictObject({ cert: z.string().min(1), key: z.string().min(1) }).optional(),
}

/** The page for Prometheus at /metrics. */
export const metricsSchema = z
  .strictObject({
    enabled: z.boolean().default(false),
    /** True: no token is needed. */
    public: z.boolean().default(false),
    /** The principals that may read the page. Default: those with a token that has all rights. */
    principals: z.array(z.string().min(1)).optional(),
    /** How many tools have a label of their own. */
    maxTools: z.number().int().positive().max(10_000).default(200),
  })
  .prefault({})

const addressSchema = z.strictObject(addressShape)

/** The public address of a server over HTTP. */
export type AddressOptions = z.input<typeof addressSchema>

export type HttpAddress = z.output<typeof addressSchema>

/** Adds the defaults, or returns the first problem. */
export function parseAddress(given: AddressOptions = {}): {
  readonly address?: HttpAddress
  readonly problem?: ConfigProblem
} {
  const { value: address, problems } = check(addressSchema, given, { file: '', path: ['http'] })
  const [problem] = problems
  return defined({ address: problem === undefined ? address : undefined, problem })
}

const rightsShape = {
  servers: z.array(z.string().min(1)).optional(),
  /** Patterns as in rules. */
  tools: z.array(z.string().min(1)).optional(),
  readOnly: z.boolean().optional(),
}

const time = z.string().refine((text) => /^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(Date.parse(text)), {
  error: "a date such as '2027-01-31', or a time such as '2027-01-31T12:00:00Z'",
})

const limitedToken = z.strictObject({ token: z.string().min(1), ...rightsShape, expires: time.optional() })

/** A token with all rights, or a token with its rights. The token may be a reference. */
const tokenSchema = z.union([z.string().min(1), limitedToken])

/** The token of a setting, which may be a reference. */
export function tokenIn(setting: TokenSetting): string {
  return typeof setting === 'string' ? setting : setting.token
}

/** Requires https, except on loopback: an attacker could replace keys that are read over plain HTTP. */
const webAddress = z.string().refine(isSecureAddress, "an address such as 'https://login.example.com', without a query")

const oauthSchema = z.strictObject({
  issuer: webAddress,
  audience: z.string().min(1),
  jwksUri: webAddress.optional(),
  /** The claim with the values that select the rights. */
  claim: z.string().min(1).default('scope'),
  principalClaim: z.string().min(1).default('sub'),
  scopes: z.record(z.string().min(1), z.strictObject(rightsShape)),
})

export const loginShape = {
  /** The clients that may connect: a name, and a token that may be a reference. */
  tokens: z.record(z.string().min(1), tokenSchema).default({}),
  /** The authorization server that issues access tokens for this gateway. */
  oauth: oauthSchema.optional(),
  /** Whether tokens of `toolcrib token add` are accepted while the store that gateways share is out of reach. */
  whenStoreIsDown: z.enum(['open', 'closed']).default('open'),
}

export type TokenSetting = z.output<typeof tokenSchema>
export type OAuthSetting = z.output<typeof oauthSchema>

function isAddressOrRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

/** True for an https address, or an http address on loopback, that has no query and no fragment. */
function isSecureAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, search, hash } = new URL(text)
  if (search !== '' || hash !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}
