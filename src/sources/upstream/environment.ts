// The environment of a server: the variables of this process, except withheld ones, and those of its configuration.

import { PARENT_CONFIGS } from '../../config/self.ts'
import { type Connection, type InheritEnv, programIn } from '../../config/server-config.ts'
import { mergeVariables } from '../../core/variables.ts'
import { credentialsIn, isSureSecret, MIN_CHARS, secretsOf, sureSecretsOf } from './secrets.ts'

const BASIC_ON_POSIX = ['HOME', 'LANG', 'LC_ALL', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER']
const BASIC_ON_WINDOWS = [
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
]
/** Variables of this program. Only `PARENT_CONFIGS` is meant for servers. */
const OWN_PREFIX = 'TOOLCRIB_'

export interface Inheritance {
  /** The variables of this process, without those of `secrets.env`. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Default: true. */
  readonly inherit?: InheritEnv | undefined
  /** Names that the server does not inherit, such as those that only other servers refer to. */
  readonly withheld?: Iterable<string>
  /** Redacts every inherited value that does not look harmless, as if the configuration had set it. */
  readonly isRedactedWhole?: boolean
}

interface ServerEnvironment {
  /** The whole environment of the process. */
  readonly values: Readonly<Record<string, string>>
  /** The inherited variables, also those that the configuration replaces in `values`. */
  readonly inherited: Readonly<Record<string, string>>
  /** The names that the server would inherit if they were not withheld. */
  readonly withheld: readonly string[]
}

/** A configured variable takes precedence over an inherited one. The basic variables are never withheld. */
export function environmentFor(
  configured: Readonly<Record<string, string>>,
  { env, inherit = true, withheld = [] }: Inheritance,
  platform: NodeJS.Platform = process.platform,
): ServerEnvironment {
  const isWindows = platform === 'win32'
  // Windows treats Path and PATH as the same variable.
  const keyOf = (name: string) => (isWindows ? name.toUpperCase() : name)
  const basic = new Set([...(isWindows ? BASIC_ON_WINDOWS : BASIC_ON_POSIX), PARENT_CONFIGS])
  const isWanted = matcherOf(inherit, isWindows)
  const withheldKeys = new Set([...withheld].map(keyOf))
  const configuredKeys = new Set(Object.keys(configured).map(keyOf))
  const inherited: [string, string][] = []
  const withheldNames: string[] = []
  for (const [name, value] of Object.entries(env)) {
    // A value that starts with `()` is a shell function. Windows has hidden variables such as `=C:`.
    if (value === undefined || value.startsWith('()') || name === '' || name.startsWith('=')) continue
    const key = keyOf(name)
    if (basic.has(key)) inherited.push([name, value])
    else if (key.startsWith(OWN_PREFIX) || !isWanted(name)) continue
    else if (!withheldKeys.has(key)) inherited.push([name, value])
    else if (!configuredKeys.has(key)) withheldNames.push(name)
  }
  const record = Object.fromEntries(inherited)
  return { values: mergeVariables([record, configured], platform), inherited: record, withheld: withheldNames.sort() }
}

export interface StartEnvironment extends ServerEnvironment {
  /** The values to redact in errors, logs and questions of the server. */
  readonly secrets: readonly string[]
  /** The values to redact in the list of its tools: those of `secrets` that are no ordinary words of a description. */
  readonly listSecrets: readonly string[]
}

/** The environment for one start. A connection over HTTP has none. */
export function environmentOf(written: Connection, resolved: Connection, given: Inheritance): StartEnvironment {
  const program = programIn(resolved)
  if (program === undefined) {
    const [secrets, listSecrets] = [secretsOf(written, resolved), sureSecretsOf(written, resolved)]
    return { values: {}, inherited: {}, withheld: [], secrets, listSecrets }
  }
  const inherit = program.inheritEnv ?? given.inherit
  const environment = environmentFor(program.env, { ...given, inherit })
  const { values, inherited } = environment
  const ofProcess = inheritedSecrets(inherited)
  const secrets =
    given.isRedactedWhole === true
      ? secretsOf(written, { ...program, env: values })
      : [...secretsOf(written, resolved), ...ofProcess]
  return { ...environment, secrets, listSecrets: [...sureSecretsOf(written, resolved), ...ofProcess] }
}

/** The values of inherited variables that are secrets by their name or form, and the passwords in their URLs. */
export function inheritedSecrets(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(env)
    .flatMap(([name, value = '']) => {
      return [...(isSureSecret(name, value) ? [value] : []), ...credentialsIn(value)]
    })
    .filter((value) => value.length >= MIN_CHARS)
}

function matcherOf(inherit: InheritEnv, isWindows: boolean): (name: string) => boolean {
  if (typeof inherit === 'boolean') return () => inherit
  const patterns = inherit.map((glob) => {
    const source = glob
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')
    return new RegExp(`^${source}$`, isWindows ? 'i' : '')
  })
  return (name) => patterns.some((pattern) => pattern.test(name))
}
