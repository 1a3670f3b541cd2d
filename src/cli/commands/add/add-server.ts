// Runs `toolcrib add`: reads the server from the command line, shows the change, asks, tries the server and writes it.

import { existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import type { ServerInput } from '../../../config/config.ts'
import { readServers } from '../../../config/config-entry.ts'
import { REMOTE_TYPES, resolveConnection } from '../../../config/connection-kinds.ts'
import { ownDialect } from '../../../config/dialect.ts'
import { resolveTemplatePath } from '../../../config/paths.ts'
import { renderTemplate } from '../../../config/references.ts'
import { hasAuthorizationHeader, type ServerConfig } from '../../../config/server-config.ts'
import { raise } from '../../../core/errors.ts'
import { messageOf, shellWord } from '../../../core/text.ts'
import { withTimeout } from '../../../core/waiting.ts'
import { approveWritten, type ConfigPlan } from '../../../setup/config-plan.ts'
import type { Environment } from '../../../setup/environment.ts'
import type { ExtractedSecret } from '../../../setup/files/write-secrets.ts'
import { loadFor } from '../../../setup/load-config.ts'
import { planAddition } from '../../../setup/plan-server.ts'
import { filesOf, writePlan } from '../../../setup/write-plan.ts'
import { loginRequiredIn } from '../../../sources/upstream/auth/login-errors.ts'
import { errorLineIn, isUntrusted, startFailureIn } from '../../../sources/upstream/start-failure.ts'
import { faultsBeforeStart } from '../../checks/faults-before-start.ts'
import { changeLines, planNotes, writtenLines } from '../../config-changes/plan-lines.ts'
import { rememberFailures } from '../../gateway/failed-starts.ts'
import { startableOf } from '../../gateway/served-config.ts'
import { openSession, startWaitMs } from '../../gateway/session.ts'
import { confirm, DECLINED } from '../../output/ask.ts'
import { connectionLine } from '../../output/config-lines.ts'
import { unavailable } from '../../output/error-for-people.ts'
import { count, oneLine } from '../../output/text.ts'
import { type ChangeFlags, failWith, type Work } from '../../output/work.ts'
import { readHeaders, separatorAdvice } from '../../words/options.ts'

const NOT_WRITTEN_ADVICE =
  'Nothing was written. Correct the command, the address or the options, or pass --no-check to write the server as it is.'
const TOKEN_ADVICE =
  "Nothing was written. If the server has given you a token, add --header 'Authorization: Bearer TOKEN' with this token. Otherwise correct the address."
const REFUSED_HEADER_ADVICE =
  "Nothing was written. Correct the value in --header 'Authorization: VALUE', or the address."
const CERTIFICATE_ADVICE =
  'Nothing was written. Node does not know the certificate authority (CA) that signed the certificate of this server. Set the variable NODE_EXTRA_CA_CERTS to a PEM file with the certificate of that CA, for this command and for the gateway, then run this command again.'

export async function addServer(work: Work, server: ServerConfig, flags: AddFlags): Promise<number> {
  const { output } = work
  const plan = await planAddition(work, server, flags.project === true ? 'project' : 'user')
  const added = plan.added[0] ?? server
  const values = plan.secrets.map(({ value }) => value)
  if (!output.isQuiet) {
    output.print(...(await changeLines(plan, output, values)), ...planNotes(plan, output))
  }
  const document = documentOf(plan, added)
  if (flags.dryRun === true) {
    output.show({ ...document, written: false }, () =>
      output.isQuiet ? [plan.file] : ['Nothing was started or changed (--dry-run).'],
    )
    return 0
  }
  if (!(await confirm(work, flags, filesOf(work, plan)))) return DECLINED
  const trial = flags.check ? await tryServer(work, added, plan.secrets) : undefined
  if (trial?.kind === 'failed') {
    return failWith(output, { ...unavailable(added.name, trial), suggestion: trial.advice ?? NOT_WRITTEN_ADVICE })
  }
  const written = await writePlan(work, plan)
  if (plan.isOfProject) await approveWritten(work, plan)
  if (trial?.kind === 'needs-login') await rememberLogin(work, added, trial)
  const { backup = null, secretsFile = null, toExport } = written
  output.show({ ...document, written: true, ...trialDocument(trial), backup, secretsFile, toExport }, () => {
    if (output.isQuiet) return [plan.file]
    return [...writtenLines(written, output), ...output.wrap(output.keepConfig(endLine(added.name, trial)))]
  })
  return 0
}

/** Remembers that the server needs a login, so that `list` shows it. */
async function rememberLogin({ environment }: Work, server: ServerConfig, { command, reason }: NeededLogin) {
  const failures = new Map([[server.name, { reason, loginCommand: command }]])
  await rememberFailures(environment, [startableOf(server)], failures)
}

function documentOf(plan: ConfigPlan, { name, connection }: ServerConfig): object {
  return {
    server: name,
    transport: connection.type,
    target: connectionLine(connection),
    file: plan.file,
    references: plan.secrets.map((secret) => secret.name),
  }
}

function trialDocument(trial: Trial | undefined): object {
  if (trial?.kind === 'works') {
    const { tools, protocol = null } = trial
    return { tools, protocol }
  }
  return trial?.kind === 'needs-login' ? { loginCommand: trial.command } : {}
}

function endLine(name: string, trial: Trial | undefined): string {
  const shown = oneLine(name)
  if (trial?.kind === 'needs-login') return `'${shown}' needs login: run \`${oneLine(trial.command)}\`.`
  if (trial?.kind !== 'works') return `'${shown}' was not started: \`toolcrib doctor ${shellWord(shown)}\` checks it.`
  const protocol = trial.protocol === undefined ? '' : ` over protocol ${oneLine(trial.protocol)}`
  if (trial.tools === 0) {
    return `'${shown}' works${protocol}, but it lists no tools. Check its entry in the config, then run \`toolcrib doctor ${shellWord(shown)}\`.`
  }
  return `'${shown}' works: ${count(trial.tools, 'tool')}${protocol}. \`toolcrib tools ${shellWord(shown)}\` lists ${trial.tools === 1 ? 'it' : 'them'}; running gateways apply the change.`
}

interface NeededLogin {
  readonly kind: 'needs-login'
  readonly command: string
  readonly reason: string
}

type Trial =
  | { readonly kind: 'works'; readonly tools: number; readonly protocol: string | undefined }
  | NeededLogin
  /** If the server printed something, `reason` ends with the line that explains the failure best. */
  | { readonly kind: 'failed'; readonly reason: string; readonly advice?: string | undefined }

/** `secrets` are the values of the references in the entry of the server. They are not stored yet. */
async function tryServer(work: Work, server: ServerConfig, secrets: readonly ExtractedSecret[]): Promise<Trial> {
  const { output, signal } = work
  const values = Object.fromEntries(secrets.map(({ name, value }) => [name, value]))
  const environment = { ...work.environment, env: { ...work.environment.env, ...values } }
  const [fault] = await faultsBeforeStart(server, environment)
  if (fault !== undefined) {
    const isUnset = !resolveConnection(server.connection, environment.env).ok
    // Other advice names the entry of the server, which is not written.
    return { kind: 'failed', reason: fault.what, advice: isUnset ? `Nothing was written. ${fault.todo}` : undefined }
  }
  const current = await loadFor(environment, work.flags, signal)
  const others = current.servers.map(({ name }) => name)
  // The other servers stay in the list: the new server does not get the variables that only they refer to.
  const loaded = { ...current, servers: [...current.servers, server] }
  await using session = await openSession(work, { loaded, startsServers: true, without: others })
  const source = session.source(server.name)
  if (source === undefined) return { kind: 'failed', reason: 'it could not be opened' }
  const progress = output.progress()
  progress.show(`Starting '${oneLine(server.name)}' to list its tools…`)
  try {
    const manifest = await withTimeout(startWaitMs(loaded), signal, (timeout) => source.refresh(timeout))
    return { kind: 'works', tools: manifest.tools.length, protocol: source.protocolVersion() }
  } catch (error) {
    signal.throwIfAborted()
    const login = loginRequiredIn(error)
    return login === undefined
      ? { kind: 'failed', reason: reasonOf(error), advice: adviceFor(error, server) }
      : { kind: 'needs-login', command: login.command, reason: login.message }
  } finally {
    progress.clear()
  }
}

function reasonOf(error: unknown): string {
  const failure = startFailureIn(error)
  if (failure === undefined) return messageOf(error)
  const line = errorLineIn(failure.stderr)
  return line === undefined ? failure.reason : `${failure.reason}: ${oneLine(line)}`
}

/** Returns advice for a failed start. Undefined if the general advice applies. */
function adviceFor(error: unknown, { connection }: ServerConfig): string | undefined {
  if (isUntrusted(error)) return CERTIFICATE_ADVICE
  if (startFailureIn(error)?.status !== 401) return undefined
  return hasAuthorizationHeader(connection) ? REFUSED_HEADER_ADVICE : TOKEN_ADVICE
}

export interface AddFlags extends ChangeFlags {
  readonly env: readonly string[]
  readonly header: readonly string[]
  readonly type?: string
  readonly cwd?: string
  readonly project?: boolean
  /** False with --no-check. */
  readonly check: boolean
}

interface AddContext {
  readonly environment: Pick<Environment, 'cwd' | 'home' | 'platform'>
  /** Whether the words come after `--`, so that they are a command and not an address. */
  readonly isCommand: boolean
}

/** Reads the server that the words and flags describe. Raises INVALID_ARGUMENTS if they do not describe a server. */
export function serverFromWords(
  name: string,
  words: readonly string[],
  flags: AddFlags,
  { environment, isCommand }: AddContext,
): ServerConfig {
  const { cwd, home, platform } = environment
  const entry = isCommand ? commandEntry(words, flags, cwd) : addressEntry(name, words, flags)
  const location = {
    file: '',
    path: [],
    source: 'config',
    dialect: ownDialect,
    resolvePath: (path: string) => resolveTemplatePath(path, { home, platform, base: cwd }),
  }
  const { servers, problems } = readServers([{ ...entry, name }], location, 'error')
  const [server] = servers
  if (server !== undefined) return server
  const [first] = problems
  return refuse(
    first === undefined ? 'The arguments do not describe a server' : `The server cannot be added: ${first.message}`,
  )
}

function commandEntry(words: readonly string[], flags: AddFlags, folder: string): ServerInput {
  const [command, ...args] = words
  if (command === undefined) return refuse('Write the command of the server after --')
  if (flags.header.length > 0) return refuse('--header is for an address; a command takes variables with --env')
  if (flags.type !== undefined) return refuse('--type is for an address; a command uses stdio')
  // A gateway may start in any folder, so a relative path in the command needs the current folder as `cwd`.
  // The command itself is a name in PATH, unless it contains a separator.
  const paths = /[/\\]/.test(command) ? words : args
  const cwd = flags.cwd ?? (paths.some((word) => isPathIn(folder, word)) ? renderTemplate([folder]) : undefined)
  return {
    command,
    ...(args.length === 0 ? {} : { args }),
    ...(flags.env.length === 0 ? {} : { env: Object.fromEntries(flags.env.map(variableFrom)) }),
    ...(cwd === undefined ? {} : { cwd }),
  }
}

function addressEntry(name: string, [url, ...others]: readonly string[], flags: AddFlags): ServerInput {
  if (url === undefined) return refuse('Give the address of the server, or its command after --')
  if (!/^https?:\/\//i.test(url)) {
    const reason = `'${url}' is not an address: an address starts with http:// or https://`
    // A word such as `example.com/mcp` is probably an address without its start.
    const isLikelyAddress = others.length === 0 && /^[^./\\~].*[.:]/.test(url)
    return isLikelyAddress
      ? refuse(`${reason}. To add a command, write it after --`)
      : refuse(reason, separatorAdvice(['add', name], url))
  }
  if (others.length > 0) return refuse(`An address takes no further arguments: '${others.join(' ')}'`)
  if (flags.env.length > 0) return refuse('--env is for a command; an address takes headers with --header')
  if (flags.cwd !== undefined) return refuse('--cwd is for a command, not for an address')
  const { type } = flags
  if (type !== undefined && !REMOTE_TYPES.includes(type))
    return refuse(`--type takes ${REMOTE_TYPES.join(' or ')}, not '${type}'`)
  return {
    ...(type === undefined ? {} : { type }),
    url,
    ...(flags.header.length === 0 ? {} : { headers: readHeaders(flags.header, 'toolcrib add') }),
  }
}

/** True for a word that starts with ./ or ../, and for the relative path of an existing file or folder. */
function isPathIn(folder: string, word: string): boolean {
  if (isAbsolute(word) || word.startsWith('-') || word === '') return false
  return /^\.\.?(?:[/\\]|$)/.test(word) || existsSync(resolve(folder, word))
}

function variableFrom(line: string): readonly [string, string] {
  const [, name, value] = /^([^=\s]+)=([\s\S]*)$/.exec(line) ?? []
  return name === undefined || value === undefined ? refuse('--env takes NAME=value') : [name, value]
}

function refuse(reason: string, todo?: string): never {
  return raise('INVALID_ARGUMENTS', { reason, command: 'toolcrib add', todo })
}
