// Runs `toolcrib import`: finds the servers of clients, shows them, asks for approvals and writes the config.

import { join } from 'node:path'
import { unapprovedProblem } from '../../../config/approval.ts'
import { importers } from '../../../config/imports/builtins.ts'
import { renderProblem } from '../../../config/problem.ts'
import type { ServerConfig } from '../../../config/server-config.ts'
import { raise } from '../../../core/errors.ts'
import { addApproval } from '../../../setup/approvals.ts'
import { type ConfigPlan, planConfig } from '../../../setup/config-plan.ts'
import { discoverClients, type FoundClient } from '../../../setup/discover.ts'
import { serverEntry } from '../../../setup/files/write-config.ts'
import { extractSecrets } from '../../../setup/files/write-secrets.ts'
import { clientNames, unknownClientText } from '../../../setup/known-clients.ts'
import { loadFor } from '../../../setup/load-config.ts'
import { filesOf, type WrittenPlan, writePlan } from '../../../setup/write-plan.ts'
import {
  clashLines,
  folderBoundServers,
  type NotTaken,
  renamedIn,
  takeAll,
  unwritableServers,
} from '../../config-changes/not-taken.ts'
import { changeLines, planNotes, writtenLines } from '../../config-changes/plan-lines.ts'
import { neededLines, neededVariables } from '../../gateway/server-variables.ts'
import { confirm, DECLINED, isConfirmed } from '../../output/ask.ts'
import { connectionLine } from '../../output/config-lines.ts'
import { count, oneLine, shortPath, wrap } from '../../output/text.ts'
import type { ChangeFlags, Work } from '../../output/work.ts'

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
  const { servers: served } = await loadFor(environment, work.flags, work.signal)
  output.print(
    ...(found.length === 0 ? nothingFoundLines(work, flags) : foundLines(found, taken.leftOut, work)),
    ...clashLines(taken, served, output),
    ...neededLines(needed, environment, output),
  )
  const approved = await approveProjects(work, flags, found)
  const isPlanned = flags.write === true || flags.dryRun === true
  const plan = isPlanned ? await planImport(work, found, taken.servers.filter(isMovable), approved) : undefined
  const otherClients = plan?.isNew === true ? await clientsBesides(work, flags) : []
  const folderBound = isPlanned ? folderBoundServers(taken.servers) : []
  const notTaken = [...taken.notTaken, ...folderBound, ...(plan === undefined ? [] : unwritableServers(plan))]
  const renamed = plan === undefined ? taken.renamed : renamedIn([...plan.added, ...plan.present])
  const written = plan === undefined ? undefined : await writeImport(work, flags, plan, { otherClients, notTaken })
  if (written === 'declined') return DECLINED
  const isWritten = plan !== undefined && (written !== undefined || plan.before === plan.after)
  const document = documentOf(found, approved, plan, written)
  output.show({ ...document, variables: needed, leftOut: otherClients, renamed, notTaken }, () =>
    nextLines(work, found, isWritten),
  )
  return found.length === 0 ? NOTHING_FOUND : 0
}

/** False if the server uses the folder that is open in its client: a copy would use the current folder instead. */
function isMovable({ folderVariables }: ServerConfig): boolean {
  return folderVariables === undefined
}

function checkClientNames(from: readonly string[] = []): void {
  const unknown = from.find((name) => !importers.has(name))
  if (unknown === undefined) return
  raise('INVALID_ARGUMENTS', { reason: unknownClientText(unknown), command: 'toolcrib import' })
}

function foundLines(
  found: readonly FoundClient[],
  leftOut: ReadonlySet<ServerConfig>,
  { output }: Work,
): readonly string[] {
  const { paint } = output
  const total = found.reduce((sum, { servers }) => sum + servers.length, 0)
  const blocks = found.flatMap((one) => {
    const { client, path, scope, servers, problems, isApproved } = one
    const note = scope === 'user' ? '' : isApproved ? ', project file, approved' : ', project file, not approved'
    // A server that is left out, disabled or not approved gets no check mark.
    const markOf = (server: ServerConfig) => {
      if (leftOut.has(server)) return paint.red('✗')
      return server.enabled && isApproved ? paint.green('✓') : paint.dim('-')
    }
    const stateOf = (server: ServerConfig) =>
      leftOut.has(server) ? ' (left out)' : server.enabled ? '' : ' (switched off)'
    return [
      '',
      `${paint.bold(client)} (${output.path(path)}${note})`,
      ...servers.flatMap((server) => [
        `  ${markOf(server)} ${oneLine(server.name)}${stateOf(server)}`,
        `    ${connectionLine(server.connection)}`,
      ]),
      ...problems
        // If a file has only the entry of the gateway itself, a problem with the severity `info` reports this entry.
        .filter(({ severity }) => severity !== 'info' || servers.length === 0)
        .flatMap(({ severity, path: at, message }) =>
          output.wrap(`${severity}: ${at === '' ? '' : `${at}: `}${message}`, '  '),
        ),
    ]
  })
  const files = found.filter(({ servers }) => servers.length > 0).length
  return [`Found ${count(total, 'server')} in ${count(files, 'file')}:`, ...blocks]
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
      output.note(renderProblem(unapprovedProblem(approvable)))
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
  approved: readonly string[],
): Promise<ConfigPlan> {
  const rules = found.filter(({ scope }) => scope === 'user').flatMap((one) => one.rules)
  const projects = found
    .filter(({ scope, path, isApproved }) => scope === 'project' && (isApproved || approved.includes(path)))
    .map(({ client }) => ({ type: client, scope: 'project' as const }))
  return planConfig(work, { servers, rules, sources: projects, scope: 'user' })
}

/**
 * The clients with servers that --from does not name. Without a config, the servers of all clients are served; with a
 * new config, only those of the clients in --from.
 */
async function clientsBesides({ environment }: Work, { from }: ImportFlags): Promise<readonly string[]> {
  if (from === undefined) return []
  const all = await discoverClients(environment, { scope: 'user' })
  return all.filter(({ client, servers }) => !from.includes(client) && servers.length > 0).map(({ client }) => client)
}

/** Shows the change, asks and writes it. Undefined if there is nothing to write, and with --dry-run. */
async function writeImport(
  work: Work,
  flags: ImportFlags,
  plan: ConfigPlan,
  { otherClients, notTaken }: { readonly otherClients: readonly string[]; readonly notTaken: readonly NotTaken[] },
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
  if (!(await confirm(work, flags, filesOf(work, plan)))) return 'declined'
  const written = await writePlan(work, plan)
  output.print(
    ...writtenLines(written, output),
    ...notTaken.flatMap(({ server, client, reason }) =>
      output.wrap(`Not imported: ${oneLine(server)} of ${client} (${reason})`, '  '),
    ),
  )
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

/** The smallest config with one server. */
const EXAMPLE_LINES = [
  '  { "discovery": { "servers": { "files":',
  '    { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."] } } } }',
]

function nothingFoundLines(work: Work, { from = [] }: ImportFlags): readonly string[] {
  const { width } = work.output
  const whose =
    from.length === 0
      ? 'No client on this machine has MCP servers configured.'
      : `No MCP servers are configured for ${from.join(', ')} on this machine.`
  return [
    ...wrap(whose, width),
    ...wrap(`To use Toolcrib without an import, write servers into ${ownConfig(work)}, for example:`, width),
    ...EXAMPLE_LINES,
    ...wrap('To try the gateway with the bundled example servers, run `toolcrib serve --http --demo`.', width),
  ]
}

/** `isWritten`: the config already has the servers. */
function nextLines(work: Work, found: readonly FoundClient[], isWritten: boolean): readonly string[] {
  const client = clientToInstall(found)
  if (client === undefined) return []
  const install = `\`toolcrib install ${client}\` puts the gateway into that client in place of its servers.`
  const write = `\`toolcrib import --write\` copies your servers into ${ownConfig(work)}.`
  return ['', ...work.output.wrap(work.output.keepConfig(`Next: ${isWritten ? '' : `${write} `}${install}`))]
}

/** The argument for `install`: the first client that has servers to replace. */
function clientToInstall(found: readonly FoundClient[]): string | undefined {
  const names = clientNames()
  const usable = found.filter(({ client, servers }) => servers.length > 0 && names.includes(client))
  const one = usable.find(({ scope }) => scope === 'user') ?? usable[0]
  return one === undefined ? undefined : `${one.client}${one.scope === 'project' ? ' --project' : ''}`
}

function ownConfig({ environment, flags }: Work): string {
  const { configDir, home } = environment
  return oneLine(flags.config ?? shortPath(join(configDir, 'config.json'), home))
}
