// Runs `toolcrib import`: finds the servers of clients, shows them, asks for approvals and writes the config.

import { unapprovedProblem } from '../../../config/approval.ts'
import { importers } from '../../../config/imports/builtins.ts'
import type { LoadedConfig } from '../../../config/load/load.ts'
import { renderProblem } from '../../../config/problem.ts'
import type { ServerConfig } from '../../../config/server-config.ts'
import { raise, ToolcribError } from '../../../core/errors.ts'
import { addApproval } from '../../../setup/approvals.ts'
import { type ConfigPlan, ownConfig, planConfig } from '../../../setup/config-plan.ts'
import { discoverClients, type FoundClient } from '../../../setup/discover.ts'
import { serverEntry } from '../../../setup/files/write-config.ts'
import { extractSecrets } from '../../../setup/files/write-secrets.ts'
import { unknownClientText } from '../../../setup/known-clients.ts'
import { loadFor } from '../../../setup/load-config.ts'
import { filesOf, type WrittenPlan, writePlan } from '../../../setup/write-plan.ts'
import { filesNotRead, notReadLines } from '../../config-changes/not-read.ts'
import {
  clashLines,
  folderBoundLines,
  folderBoundServers,
  isMovable,
  type NotTaken,
  renamedIn,
  takeAll,
  unwritableServers,
} from '../../config-changes/not-taken.ts'
import { changeLines, planNotes, writtenLines } from '../../config-changes/plan-lines.ts'
import { neededLines, neededVariables } from '../../gateway/server-variables.ts'
import { confirm, DECLINED, isConfirmed } from '../../output/ask.ts'
import { oneLine, shortPath } from '../../output/text.ts'
import type { ChangeFlags, Work } from '../../output/work.ts'
import { foundLines, nextLines, nothingFoundLines } from './import-lines.ts'

export interface ImportFlags extends ChangeFlags {
  readonly from?: readonly string[]
  readonly write?: boolean
}

/** The exit code if no file of a client has a server or a problem. */
const NOTHING_FOUND = 2

export async function importClients(work: Work, flags: ImportFlags): Promise<number> {
  const { output, environment } = work
  checkClientNames(flags.from)
  const progress = output.progress()
  progress.show('Reading the files of your MCP clients…')
  const all = await discoverClients(environment, { clients: flags.from })
  progress.clear()
  const found = all.filter(
    ({ servers, problems, state }) => state !== 'repeated' && servers.length + problems.length > 0,
  )
  const needed = neededVariables(
    found.flatMap(({ servers }) => servers),
    environment,
  )
  const ofUser = found.filter(({ scope }) => scope === 'user')
  const taken = takeAll(ofUser, environment.env)
  const loaded = await loadFor(environment, work.flags, work.signal)
  const ofProject = found.filter(({ scope }) => scope === 'project')
  const unread = filesNotRead(
    ofProject.filter(({ servers }) => servers.length > 0),
    loaded,
  )
  const folderBound = folderBoundServers(taken.servers)
  const config = await ownConfig(work, 'user')
  output.print(
    ...(found.length === 0 ? nothingFoundLines(work, flags, config) : foundLines(found, { ...taken, unread }, work)),
    ...clashLines(taken, loaded.servers, output),
    ...folderBoundLines(folderBound, output),
    ...neededLines(needed, environment, output),
  )
  const approved = await approveProjects(work, flags, found)
  const isUsable = ({ isApproved, path }: FoundClient) => isApproved || approved.includes(path)
  const usable = { all: ofProject.filter(isUsable), unread: unread.filter(isUsable) }
  const isPlanned = flags.write === true || flags.dryRun === true
  const movable = taken.servers.filter(isMovable)
  const plan = isPlanned ? await planImport(work, found, movable, usable) : undefined
  const isUpToDate = !isPlanned && (await hasAll(work, loaded, () => planImport(work, found, movable, usable)))
  if (isUpToDate && movable.length > 0)
    output.print('', `${output.path(config)} already has all servers that can be imported.`)
  if (!isPlanned && usable.unread.length > 0) output.print('', ...notReadLines(usable.unread, loaded, output))
  const otherClients = plan?.isNew === true ? await clientsBesides(work, flags) : []
  const notTaken = [...taken.notTaken, ...folderBound, ...(plan === undefined ? [] : unwritableServers(plan))]
  const renamed = plan === undefined ? taken.renamed : renamedIn([...plan.added, ...plan.present])
  const written =
    plan === undefined ? undefined : await writeImport(work, flags, plan, { otherClients, notTaken, approved })
  if (written === 'declined') return DECLINED
  const isWritten = isUpToDate || (plan !== undefined && (written !== undefined || plan.before === plan.after))
  const document = documentOf(found, approved, plan, written)
  output.show({ ...document, variables: needed, leftOut: otherClients, renamed, notTaken }, () =>
    nextLines(work, found, { config, isWritten, addsSources: usable.unread.length > 0 }),
  )
  return found.length === 0 ? NOTHING_FOUND : 0
}

function checkClientNames(from: readonly string[] = []): void {
  const unknown = from.find((name) => !importers.has(name))
  if (unknown === undefined) return
  raise('INVALID_ARGUMENTS', { reason: unknownClientText(unknown), command: 'toolcrib import' })
}

/** Asks to approve the current text of each project file. A changed text needs a new approval. */
async function approveProjects(
  work: Work,
  flags: ImportFlags,
  found: readonly FoundClient[],
): Promise<readonly string[]> {
  const { output, environment } = work
  const approved: string[] = []
  for (const { isApproved, path, approvable, servers } of found) {
    if (approvable === undefined || isApproved || servers.length === 0) continue
    const shown = shortPath(path, environment.home)
    if (approvable.state === 'refused') {
      output.note(output.shorten(renderProblem(unapprovedProblem(approvable))))
      continue
    }
    const question = `Let the gateway run the command lines of ${shown} (shown above) in this project?`
    if (flags.dryRun !== true && (await isConfirmed(work, flags, question))) {
      await addApproval(environment.stateDir, approvable)
      approved.push(path)
      output.print('', `${output.paint.green('✓')} Approved ${oneLine(shown)}`)
    } else {
      output.note(
        `${shown} comes with the project and is not used until you approve it: run \`toolcrib trust\` to review it, or \`toolcrib import --yes\` to approve it.`,
      )
    }
  }
  return approved
}

async function planImport(
  work: Work,
  found: readonly FoundClient[],
  servers: readonly ServerConfig[],
  usable: { readonly all: readonly FoundClient[]; readonly unread: readonly FoundClient[] },
): Promise<ConfigPlan> {
  const rules = found.filter(({ scope }) => scope === 'user').flatMap((one) => one.rules)
  const sourcesOf = (files: readonly FoundClient[]) =>
    [...new Set(files.map(({ client }) => client))].map((type) => ({ type, scope: 'project' as const }))
  const [sources, missingSources] = [sourcesOf(usable.all), sourcesOf(usable.unread)]
  return planConfig(work, { servers, rules, sources, missingSources, scope: 'user' })
}

/** Whether the config has everything that --write would copy. False if the config cannot be changed. */
async function hasAll({ signal }: Work, { origin }: LoadedConfig, plan: () => Promise<ConfigPlan>): Promise<boolean> {
  if (origin.kind === 'defaults') return false
  const planned = await plan().catch((error: unknown) => {
    signal.throwIfAborted()
    if (error instanceof ToolcribError) return undefined
    throw error
  })
  return planned !== undefined && planned.before === planned.after
}

/**
 * Returns the clients that have servers and that --from does not name. Without a config, the servers of all clients are
 * served; with a new config, only those of the clients in --from.
 */
async function clientsBesides({ environment }: Work, { from }: ImportFlags): Promise<readonly string[]> {
  if (from === undefined) return []
  const all = await discoverClients(environment, { scope: 'user' })
  return all.filter(({ client, servers }) => !from.includes(client) && servers.length > 0).map(({ client }) => client)
}

interface ImportFindings {
  readonly otherClients: readonly string[]
  readonly notTaken: readonly NotTaken[]
  /** The project files that this command has approved. */
  readonly approved: readonly string[]
}

/** Shows the change, asks and writes it. Undefined if there is nothing to write, and with --dry-run. */
async function writeImport(
  work: Work,
  flags: ImportFlags,
  plan: ConfigPlan,
  { otherClients, notTaken, approved }: ImportFindings,
): Promise<WrittenPlan | 'declined' | undefined> {
  const { output } = work
  const values = plan.secrets.map(({ value }) => value)
  output.print(
    '',
    ...(await changeLines(plan, output, values)),
    ...planNotes(plan, output),
    ...(otherClients.length === 0
      ? []
      : output.wrap(
          output.keepConfig(
            `The servers of ${otherClients.join(', ')} are not imported, and are no longer served once there is a config. To import them too, run \`toolcrib import --write\` without --from.`,
          ),
        )),
  )
  if (plan.before === plan.after) {
    output.print(...nothingToWrite(plan, notTaken))
    return undefined
  }
  if (flags.dryRun === true) {
    output.print('Nothing was changed (--dry-run).')
    return undefined
  }
  if (!(await confirm(work, flags, filesOf(work, plan), { hasChanged: approved.length > 0 }))) return 'declined'
  const written = await writePlan(work, plan)
  output.print(...writtenLines(written, output))
  return written
}

function nothingToWrite({ present }: ConfigPlan, notTaken: readonly NotTaken[]): readonly string[] {
  if (present.length + notTaken.length === 0) return []
  if (notTaken.length === 0) return ['Nothing to write: the config has all of these servers.']
  if (present.length === 0) return ['Nothing to write: these servers cannot be imported.']
  return ['Nothing to write: the config already has all servers that can be imported.']
}

function documentOf(
  found: readonly FoundClient[],
  approved: readonly string[],
  plan: ConfigPlan | undefined,
  written: WrittenPlan | undefined,
): object {
  const files = found.map(({ client, path, scope, servers, problems, isApproved }) => ({
    client,
    path,
    scope,
    ...(scope === 'project' ? { approved: isApproved || approved.includes(path) } : {}),
    // With references in place of secrets, as they would be written.
    servers: Object.fromEntries(
      servers.map((server) => [server.name, serverEntry(extractSecrets(server, new Map()).server)]),
    ),
    problems,
  }))
  if (plan === undefined) return { found: files }
  return {
    found: files,
    written: written !== undefined,
    file: plan.file,
    added: plan.added.map(({ name }) => name),
    references: plan.secrets.map(({ name, server }) => ({ name, server })),
    backup: written?.backup ?? null,
    secretsFile: written?.secretsFile ?? null,
    toExport: written?.toExport ?? [],
  }
}
