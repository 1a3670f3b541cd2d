// What becomes of our own config when servers of clients are taken over: planned first, so that it can be shown.

import { join, sep } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { SourceInput } from '../../config/config.ts'
import { findConfig } from '../../config/find-config.ts'
import type { LoadedConfig } from '../../config/load.ts'
import type { ServerConfig, ToolRule } from '../../config/server-config.ts'
import { renameRule } from '../../config/tool-lists.ts'
import { addToConfig, ruleEntry } from '../../config/write-config.ts'
import { readIfThere } from '../../config/write-file.ts'
import { type ExtractedSecret, extractSecrets } from '../../config/write-secrets.ts'
import { raise } from '../../core/errors.ts'
import { loadFor } from '../load-config.ts'
import type { Work } from '../work.ts'
import { type NamedServers, nameServers } from './name-servers.ts'
import { takenVariables } from './taken-variables.ts'

export interface ConfigPlan extends NamedServers {
  readonly file: string
  readonly before: string
  readonly after: string
  readonly isNew: boolean
  readonly secrets: readonly ExtractedSecret[]
  /** Clients whose own files are read from now on, as they were before there was a config. */
  readonly sources: readonly SourceInput[]
}

export interface Takeover {
  /** Under the names that their clients give them. */
  readonly servers: readonly ServerConfig[]
  readonly rules: readonly ToolRule[]
  /** For a config that is new: without them, clients that were imported unasked would be no more. */
  readonly sources: readonly SourceInput[]
  readonly scope: 'user' | 'project'
}

export async function planConfig(work: Work, { servers, rules, sources, scope }: Takeover): Promise<ConfigPlan> {
  const { environment, flags, signal } = work
  const file = await ownConfig(work, scope)
  const text = await readIfThere(file)
  const loaded = text === undefined ? undefined : await loadFor(environment, { ...flags, config: file }, signal)
  if (loaded?.isValid === false) {
    raise('CONFIG_INVALID', {
      file,
      reason: loaded.problems.find(({ severity }) => severity === 'error')?.message ?? '',
    })
  }
  const named = nameServers(servers, loaded ?? (await withoutConfig(work)), environment.env)
  const taken = await takenVariables(environment, [...servers, ...(loaded?.servers ?? [])])
  const extracted = named.added.map((server) => extractSecrets(server, taken))
  const added = extracted.map(({ server }) => server)
  const newRules = rulesToAdd(rules, [...added, ...named.present], loaded)
  const addition = { servers: added, rules: newRules, sources: text === undefined ? sources : [] }
  const isChanged = added.length + newRules.length + addition.sources.length > 0
  const after = isChanged ? await addToConfig(text ?? '', file, addition) : (text ?? '')
  if (after === undefined) {
    const todo = 'Add the servers to `discovery.servers` by hand: `toolcrib import --json` prints them.'
    return raise('CONFIG_UNWRITABLE', { file, reason: 'a file of this kind cannot be edited safely', todo })
  }
  return {
    ...named,
    added,
    file,
    before: text ?? '',
    after,
    isNew: text === undefined,
    secrets: extracted.flatMap(({ secrets }) => secrets),
    sources: addition.sources,
  }
}

/** What is served while there is no config: servers keep the names they have then. */
async function withoutConfig({ environment, flags, signal }: Work): Promise<LoadedConfig | undefined> {
  const loaded = await loadFor(environment, { ...flags, config: undefined }, signal)
  return loaded.origin.kind === 'defaults' ? loaded : undefined
}

/** The lists of disabled tools of these servers, under the names in our config; without what it says already. */
function rulesToAdd(
  rules: readonly ToolRule[],
  servers: readonly ServerConfig[],
  loaded: LoadedConfig | undefined,
): readonly ToolRule[] {
  const there = (loaded?.rules ?? [])
    .filter(({ origin }) => origin === undefined || origin.source === 'config')
    .map(ruleEntry)
  const added: ToolRule[] = []
  for (const rule of rules) {
    const server = servers.find(({ origin }) => origin.file === rule.origin?.file && origin.path === rule.origin.path)
    if (server === undefined) continue
    const wanted = renameRule(rule, server.name, false)
    const isThere = [...there, ...added.map(ruleEntry)].some((one) => isDeepStrictEqual(one, ruleEntry(wanted)))
    if (!isThere) added.push(wanted)
  }
  return added
}

/** The file that is or would be in force: named, or of this scope, or a new one. */
async function ownConfig({ environment, flags }: Work, scope: Takeover['scope']): Promise<string> {
  const { cwd, home, configDir } = environment
  const found = await findConfig({ cwd, home, configDir, explicit: flags.config })
  if (found.origin.kind === 'explicit') return found.origin.file
  const there = [...(found.origin.kind === 'defaults' ? [] : [found.origin.file]), ...found.others]
  const isOfUser = (file: string) =>
    [join(home, '.toolcrib'), configDir].some((folder) => file.startsWith(`${folder}${sep}`))
  const [first] = there.filter((file) => isOfUser(file) === (scope === 'user'))
  return first ?? (scope === 'user' ? join(configDir, 'config.json') : join(cwd, '.toolcrib', 'config.json'))
}
