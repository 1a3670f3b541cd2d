// The description and state of a server. Its configuration has precedence over what the server says.

import type { ServerConfig } from '../../config/server-config.ts'
import { defined } from '../../core/defined.ts'
import type { SourceInfo } from '../source.ts'
import { loginRequiredIn } from './auth/login-errors.ts'
import type { ServerState } from './lifecycle.ts'
import type { Manifest } from './manifest.ts'
import { remedyFor } from './start-failure.ts'

export function infoOf(
  config: ServerConfig,
  manifest: Manifest | undefined,
  { state, reason, failure, since, startMs }: ServerState,
): SourceInfo {
  const serverInfo = manifest?.serverInfo ?? {}
  const title = config.title ?? textOf(serverInfo.title)
  const description = config.description ?? textOf(serverInfo.description) ?? title ?? firstLine(manifest?.instructions)
  const remedy = remedyFor(failure)
  const login = loginRequiredIn(failure)
  const problems = manifest?.problems.map((problem) => problem.reason) ?? []
  return {
    state,
    ...defined({ title, description, reason, remedy, loginCommand: login?.command, listedAt: manifest?.fetchedAt }),
    ...(manifest === undefined && (config.tools ?? []).length === 0 ? { isUnknown: true } : {}),
    ...(problems.length === 0 ? {} : { problems }),
    ...(startMs === undefined ? {} : { connectedAt: since, startMs }),
  }
}

/**
 * Instructions are written for a model, and their first line usually describes the server. List items are steps, so
 * they are used only if there is nothing else.
 */
function firstLine(text: string | undefined): string | undefined {
  const lines = text?.split('\n').filter((line) => /[^#*\s]/.test(line)) ?? []
  const line = lines.find((one) => !/^\s*(?:\d+[.)]|[-*])\s/.test(one)) ?? lines[0]
  return line?.replace(/^(?:[#*\s]|\d+[.)]\s|-\s)+/, '').trim()
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}
