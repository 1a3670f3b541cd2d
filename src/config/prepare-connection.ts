// Prepares a connection for its start: replaces references, reads the env file and refuses dangerous variables.

import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { defined } from '../core/defined.ts'
import { decodeText, messageOf, quoteList } from '../core/text.ts'
import { mergeVariables } from '../core/variables.ts'
import { sha256Of } from './approval.ts'
import { resolveConnection } from './connection-kinds.ts'
import { type ConfigProblem, problemAtOrigin } from './problem.ts'
import type { Variables } from './references.ts'
import { type Connection, type ProgramConnection, programIn, type ServerConfig } from './server-config.ts'

/** The user must set these variables. A retry does not help. */
export class UnsetVariables extends Error {
  override readonly name = 'UnsetVariables'
  readonly missing: readonly string[]

  constructor(missing: readonly string[]) {
    super(describeMissing(missing))
    this.missing = missing
  }
}

/** Rejects with a readable message if a variable is not set or not allowed, or if the env file cannot be read. */
export async function prepareConnection(connection: Connection, variables: Variables): Promise<Connection> {
  const resolved = resolveConnection(connection, variables)
  if (!resolved.ok) throw new UnsetVariables(resolved.missing)
  const program = programIn(resolved.connection)
  if (program === undefined) return resolved.connection
  const { env: own, envFile, envFileSha256, allowEnv } = program
  const env = envFile === undefined ? own : mergeVariables([await readEnvFile(envFile, envFileSha256), own])
  refuseLoaderVariables(defined({ env, allowEnv, envFile }))
  return { ...program, env }
}

async function readEnvFile(file: string, sha256: string | undefined): Promise<Readonly<Record<string, string>>> {
  let text: string
  try {
    text = decodeText(await readFile(file))
  } catch (error) {
    throw new Error(`its env file cannot be read: ${messageOf(error)}`)
  }
  if (sha256 !== undefined && sha256Of(text) !== sha256) {
    throw new Error('its env file has changed since it was approved; run `toolcrib trust` to look at it and approve it')
  }
  const parsed = Object.entries(parseEnv(text))
  return Object.fromEntries(parsed.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])))
}

function describeMissing(missing: readonly string[]): string {
  const [first = ''] = missing
  const [which, them] =
    missing.length === 1 ? [`variable ${quoteList(missing)} is`, 'it'] : [`variables ${quoteList(missing)} are`, 'them']
  return `the ${which} not set; set ${them} before starting, or give a default as in \${${first}:-value}`
}

/**
 * Variables that make a program load or run other code at its start. A config may set only those in `allowEnv`. Case
 * matters, except on Windows. Prefixes such as `DYLD_` are in `PREFIXES`.
 */
const NAMES: ReadonlySet<string> = new Set([
  ...['LD_PRELOAD', 'LD_LIBRARY_PATH', 'LD_AUDIT', 'GCONV_PATH'], // the dynamic linker
  ...['NODE_OPTIONS', 'BUN_OPTIONS', 'BUN_INSPECT_PRELOAD'], // Node and Bun
  // npm passes them on to the programs that it runs
  ...['npm_config_node_options', 'NPM_CONFIG_NODE_OPTIONS', 'npm_config_script_shell', 'NPM_CONFIG_SCRIPT_SHELL'],
  ...['PYTHONSTARTUP', 'PYTHONHOME'], // Python
  ...['BASH_ENV', 'BASHOPTS', 'SHELLOPTS', 'PROMPT_COMMAND', 'ZDOTDIR'], // shells
  ...['PERL5OPT', 'PERL5DB', 'RUBYOPT'], // Perl and Ruby
  ...['JAVA_TOOL_OPTIONS', 'JDK_JAVA_OPTIONS', '_JAVA_OPTIONS'], // Java
  'DOTNET_STARTUP_HOOKS', // .NET
])
const PREFIXES: readonly string[] = ['DYLD_', 'BASH_FUNC_', 'COR_PROFILER', 'CORECLR_PROFILER']
const UPPER_NAMES: ReadonlySet<string> = new Set([...NAMES].map((name) => name.toUpperCase()))

/** The names of the variables that are refused. An empty value loads nothing, so it is not refused. */
export function refusedNames(
  env: Readonly<Record<string, string>>,
  allowed: readonly string[] = [],
  platform: NodeJS.Platform = process.platform,
): readonly string[] {
  const spelled = (name: string) => (platform === 'win32' ? name.toUpperCase() : name)
  const names = platform === 'win32' ? UPPER_NAMES : NAMES
  const allowedNames = new Set(allowed.map(spelled))
  return Object.entries(env).flatMap(([name, value]) => {
    const own = spelled(name)
    const isLoader = names.has(own) || PREFIXES.some((prefix) => own.startsWith(prefix))
    return isLoader && value !== '' && !allowedNames.has(own) ? [name] : []
  })
}

/** The user must remove or allow these variables. A retry does not help. */
export class RefusedVariables extends Error {
  override readonly name = 'RefusedVariables'
  readonly refused: readonly string[]

  constructor(refused: readonly string[], where = 'config') {
    super(describeRefused(refused, where))
    this.refused = refused
  }
}

/** Throws if `env` sets a variable that is not allowed. With an env file, `env` includes its variables. */
export function refuseLoaderVariables(program: Pick<ProgramConnection, 'env' | 'allowEnv' | 'envFile'>): void {
  const refused = refusedNames(program.env, program.allowEnv)
  if (refused.length === 0) return
  throw new RefusedVariables(refused, program.envFile === undefined ? 'config' : 'config or env file')
}

/** One problem per server that cannot start because of its `env`. Env files are checked when the server starts. */
export function loaderVariableProblems(servers: readonly ServerConfig[]): readonly ConfigProblem[] {
  return servers.flatMap(({ name, connection, origin, enabled }) => {
    const program = enabled ? programIn(connection) : undefined
    const refused = program === undefined ? [] : refusedNames(program.env, program.allowEnv)
    if (refused.length === 0) return []
    const finding = {
      severity: 'warning',
      expected: 'no variable that makes a program load other code',
      found: quoteList(refused),
      message: `'${name}' does not start: ${describeRefused(refused, 'config')}`,
      isAboutServing: true,
    } as const
    return [problemAtOrigin(origin, finding)]
  })
}

function describeRefused(refused: readonly string[], where: string): string {
  const [make, them] = refused.length === 1 ? ['makes', 'it'] : ['make', 'them']
  const list = `[${refused.map((name) => `'${name}'`).join(', ')}]`
  return `its ${where} sets ${quoteList(refused)}, which ${make} programs load other code; remove ${them}, or allow ${them} with \`allowEnv: ${list}\` in your config`
}
