// Runs `toolcrib add`: shows the change, asks, starts the server once, and writes it into the config unless it fails.

import type { ServerConfig } from '../../../config/server-config.ts'
import { messageOf, shellWord } from '../../../core/text.ts'
import { withTimeout } from '../../../core/waiting.ts'
import { approveWritten, type ConfigPlan } from '../../../setup/config-plan.ts'
import type { ExtractedSecret } from '../../../setup/files/write-secrets.ts'
import { loadFor } from '../../../setup/load-config.ts'
import { planAddition } from '../../../setup/plan-server.ts'
import { filesOf, writePlan } from '../../../setup/write-plan.ts'
import { loginRequiredIn } from '../../../sources/upstream/auth/login-errors.ts'
import { errorLineIn, startFailureIn } from '../../../sources/upstream/start-failure.ts'
import { faultsBeforeStart } from '../../checks/faults-before-start.ts'
import { openSession } from '../../gateway/session.ts'
import { confirm, DECLINED } from '../../output/confirm.ts'
import { connectionLine } from '../../output/connection-line.ts'
import { unavailable } from '../../output/error-for-people.ts'
import { changeLines, planNotes, writtenLines } from '../../output/plan-lines.ts'
import { count, oneLine, wrap } from '../../output/text.ts'
import { failWith, type Work } from '../../output/work.ts'
import type { AddFlags } from './server-from-words.ts'

const NOT_WRITTEN_ADVICE =
  'Nothing was written. Correct the command or the address, or pass --no-check to write the server as it is.'

export async function addServer(work: Work, server: ServerConfig, flags: AddFlags): Promise<number> {
  const { output, environment } = work
  const { home } = environment
  const plan = await planAddition(work, server, flags.project === true ? 'project' : 'user')
  const added = plan.added[0] ?? server
  const values = plan.secrets.map(({ value }) => value)
  if (!output.isQuiet) {
    output.print(...(await changeLines(plan, home, output, values)), ...planNotes(plan, output.width))
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
    return failWith(output, { ...unavailable(added.name, trial), suggestion: NOT_WRITTEN_ADVICE })
  }
  const written = await writePlan(work, plan)
  if (plan.isOfProject) await approveWritten(work, plan)
  const { backup = null, secretsFile = null, toExport } = written
  output.show({ ...document, written: true, ...trialDocument(trial), backup, secretsFile, toExport }, () => {
    if (output.isQuiet) return [plan.file]
    return [...writtenLines(written, home, output), ...wrap(endLine(added.name, trial), output.width)]
  })
  return 0
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
  return `'${shown}' works: ${count(trial.tools, 'tool')}${protocol}. \`toolcrib tools ${shellWord(shown)}\` lists ${trial.tools === 1 ? 'it' : 'them'}; running gateways apply the change.`
}

type Trial =
  | { readonly kind: 'works'; readonly tools: number; readonly protocol: string | undefined }
  | { readonly kind: 'needs-login'; readonly command: string }
  /** `reason` ends with the first error that the server printed, if it printed one. */
  | { readonly kind: 'failed'; readonly reason: string }

const START_WAIT_MS = 120_000

/** `secrets` are the values of the references in the entry of the server. They are not stored yet. */
async function tryServer(work: Work, server: ServerConfig, secrets: readonly ExtractedSecret[]): Promise<Trial> {
  const { output, signal } = work
  const values = Object.fromEntries(secrets.map(({ name, value }) => [name, value]))
  const environment = { ...work.environment, env: { ...work.environment.env, ...values } }
  const [fault] = await faultsBeforeStart(server, environment)
  if (fault !== undefined) return { kind: 'failed', reason: fault.what }
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
    const manifest = await withTimeout(START_WAIT_MS, signal, (timeout) => source.refresh(timeout))
    return { kind: 'works', tools: manifest.tools.length, protocol: source.protocolVersion() }
  } catch (error) {
    signal.throwIfAborted()
    const login = loginRequiredIn(error)
    return login === undefined
      ? { kind: 'failed', reason: reasonOf(error) }
      : { kind: 'needs-login', command: login.command }
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
