// Starts a server that is not in the config yet, and lists its tools.

import type { ServerConfig } from '../../../config/server-config.ts'
import { messageOf } from '../../../core/text.ts'
import { withTimeout } from '../../../core/with-timeout.ts'
import type { ExtractedSecret } from '../../../setup/files/write-secrets.ts'
import { loadFor } from '../../../setup/load-config.ts'
import { loginRequiredIn } from '../../../sources/upstream/auth/login-errors.ts'
import { errorLineIn, startFailureIn } from '../../../sources/upstream/start-failure.ts'
import { faultsBeforeStart } from '../../checks/faults-before-start.ts'
import { openSession } from '../../gateway/session.ts'
import { oneLine } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'

export type Trial =
  | { readonly kind: 'works'; readonly tools: number; readonly protocol: string | undefined }
  | { readonly kind: 'needs-login'; readonly command: string }
  /** `reason` ends with the first error that the server printed, if it printed one. */
  | { readonly kind: 'failed'; readonly reason: string }

const START_WAIT_MS = 120_000

/** `secrets` are the values of the references in the entry of the server. They are not stored yet. */
export async function tryServer(work: Work, server: ServerConfig, secrets: readonly ExtractedSecret[]): Promise<Trial> {
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
