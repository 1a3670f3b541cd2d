// The settings of logins over HTTP: tokens with their rights, and an authorization server of a company.

import { z } from 'zod'
import { isLoopback } from '../core/is-loopback.ts'

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
const webAddress = z.string().refine(isSecure, "an address such as 'https://login.example.com', without a query")

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

function isSecure(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, search, hash } = new URL(text)
  if (search !== '' || hash !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))
}
