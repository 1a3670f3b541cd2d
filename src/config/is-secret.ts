// Decides whether a value is a secret, by its name or by its form.

import { isAbsolute } from 'node:path'
import { hasReferences } from './references.ts'

/** Matches names of secrets, after the name is split into words: `apiKey` becomes `api_Key`. */
const SECRET_NAME =
  /(?:^|[_\W])(?:pwd|pass|auth|authorization|credentials?|cookie|session|pat|dsn|bearer)(?:$|[_\W])|(?:token|secret|password|passwd|passphrase)(?:$|[_\W])|(?:api|access|private|secret|service|signing|encryption|auth|account)[_-]?key|apikey|(?:^|[_-])key$|(?:database|db|mongo|redis|postgres|mysql|amqp)[_-]?(?:url|uri)|connection[_-]?string/i
/** Matches names of values that are not secrets themselves: `GITHUB_TOKEN_FILE` has the path of a file. */
const NOT_A_SECRET_NAME = /(?:file|path|dir|name|host|user(?:name)?|type|mode|pass_?through)$/i
/** Matches tokens with a known prefix, and webhook addresses that grant access to everyone who has them. */
const SECRET_VALUE =
  /^(?:gh[pousr]_|github_pat_|glpat-|sk-|sk_|rk_|pk_live|xox[abpr]-|AKIA|ASIA|AIza|ya29\.|eyJ[\w-]+\.|npm_|hf_|lin_api_|secret_|ntn_|pat-|shpat_|dop_v1_|SG\.|https:\/\/(?:hooks\.slack\.com\/(?:services|workflows|triggers)|(?:\w+\.)?discord(?:app)?\.com\/api\/webhooks|[\w-]+\.webhook\.office\.com)\/)/
const MIN_TOKEN_LENGTH = 16
const HARMLESS = /^(?:true|false|yes|no|on|off|none|null|\d{1,6}|)$/i

export function isSecret(name: string, value: string): boolean {
  if (hasReferences(value) || HARMLESS.test(value) || isFolderOfShell(name, value)) return false
  if (isToken(value)) return true
  const words = name.replace(/([a-z\d])([A-Z])/g, '$1_$2')
  return !NOT_A_SECRET_NAME.test(words) && SECRET_NAME.test(words)
}

/**
 * Whether the name contains a word such as `key` or `auth`, even inside another word. Used in addition to `isSecret`
 * for the config of one server, where redacting a harmless value does little harm. `isSecret` also decides which values
 * a user is asked to move out of a config, so it does not match names such as `monkey`.
 */
export function mayNameSecret(name: string): boolean {
  return /key|token|secret|passw|pwd|credential|auth|cookie|session|private/i.test(name)
}

/**
 * Whether the value of an inherited variable is redacted even if it looks harmless. Names with only `session` or `auth`
 * do not match, because their values often are harmless: DESKTOP_SESSION, SSH_AUTH_SOCK.
 */
export function surelyNamesSecret(name: string): boolean {
  return /token|secret|passw|passphrase|credential|key$/i.test(name)
}

/** Whether the value has the form of a token, independent of its name. */
export function isToken(value: string): boolean {
  return SECRET_VALUE.test(value) && value.length >= MIN_TOKEN_LENGTH && !hasReferences(value)
}

/** A shell sets PWD and OLDPWD to folders. If they counted as passwords, paths in errors would be removed. */
export function isFolderOfShell(name: string, value: string): boolean {
  return /^(?:OLD)?PWD$/.test(name) && isAbsolute(value)
}
