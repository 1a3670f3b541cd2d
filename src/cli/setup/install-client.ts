// What `toolcrib install` does: our own config gets the client's servers, then the client gets the gateway for them.

import type { Launch } from '../../config/imports/client-writer.ts'
import { pathText } from '../../config/problem.ts'
import { type ClientEntry, OWN_NAME, putInPlace } from '../../config/write-client.ts'
import { checkUnchanged, replaceFile } from '../../config/write-file.ts'
import { extractSecrets } from '../../config/write-secrets.ts'
import { raise } from '../../core/errors.ts'
import { count, oneLine, shortPath } from '../output/text.ts'
import type { Work } from '../work.ts'
import { type ClientFileToChange, openClientFile } from './client-file.ts'
import { type ConfigPlan, planConfig } from './config-plan.ts'
import { confirm } from './confirm.ts'
import { discoverClients } from './discover.ts'
import type { InstallFlags } from './flags.ts'
import { launchOf } from './launch.ts'
import { checkOwn } from './own-entry.ts'
import { changeLines, planNotes, writtenLines } from './plan-lines.ts'
import { backupsOf } from './replaced-entries.ts'
import { writePlan } from './write-plan.ts'

export async function installClient(work: Work, client: string, flags: InstallFlags): Promise<number> {
  const { output, environment } = work
  const { home } = environment
  const target = await openClientFile(work, client, flags, 'install')
  checkSection(target)
  const launch = await launchOf(work, flags)
  const { documents } = await backupsOf(target, environment)
  checkOwn(target, launch, documents[0], `install ${client}${flags.project === true ? ' --project' : ''}`)
  const plan = await planTakeover(work, client, flags, target.file)
  const remove = frontedBy(plan, target)
  const after = await putInPlace(target.writer, target.document, remove, launch)
  if (after === undefined) return cannotEdit(target.file, launch)

  const values = (await secretsIn(work, client, target.file)).concat(plan.secrets.map(({ value }) => value))
  const change = { file: target.file, before: target.text, after }
  const isSame = after === target.text && plan.after === plan.before
  output.print(
    ...changeLines(plan, home, output, values),
    ...changeLines(change, home, output, values),
    ...planNotes(plan),
  )
  const document = {
    client,
    file: target.file,
    command: [launch.command, ...launch.args],
    replaces: [...new Set(remove.map(({ name }) => name))],
    config: plan.file,
    added: plan.added.map(({ name }) => name),
    references: plan.secrets.map(({ name, server }) => ({ name, server })),
  }
  if (isSame || flags.dryRun === true) {
    const said = isSame ? 'Nothing to do: the gateway is there already.' : 'Nothing was changed (--dry-run).'
    output.show({ ...document, written: false, changed: !isSame }, () => [said])
    return 0
  }
  await confirm(work, flags, `Write ${shortPath(target.file, home)}?`, shortPath(target.file, home))
  // Before our own config is written: both or none.
  await checkUnchanged(target.file, target.text)
  const written = await writePlan(work, plan)
  const backup = after === target.text ? undefined : await replaceFile(target.file, change)
  output.show(
    {
      ...document,
      written: true,
      backup: backup ?? null,
      secretsFile: written.secretsFile ?? null,
      toExport: written.toExport,
    },
    () => [
      ...(plan.after === plan.before ? [] : writtenLines(written, home, output)),
      ...writtenLines({ file: target.file, backup, secretsFile: undefined, toExport: [] }, home, output),
      '',
      `${oneLine(client)} now has the gateway in place of ${count(remove.length, 'server')}. Restart it; \`toolcrib uninstall ${client}${flags.project === true ? ' --project' : ''}\` undoes this.`,
    ],
  )
  return 0
}

/** By place, not by name: one name may stand in two places and mean two servers. */
function frontedBy({ added, present }: ConfigPlan, { document }: ClientFileToChange): readonly ClientEntry[] {
  const places = new Set([...added, ...present].map(({ origin }) => origin.path))
  return document.entries.filter(({ name, path }) => name !== OWN_NAME && places.has(pathText(path)))
}

/** The servers of this one file that are switched on; those that are off stay where they are. */
async function planTakeover(work: Work, client: string, flags: InstallFlags, file: string): Promise<ConfigPlan> {
  const scope = flags.project === true ? 'project' : 'user'
  // By itself: of two clients that share a file, only one counts when all are looked at.
  const own = (await discoverClients(work.environment, { scope, clients: [client] })).filter(
    ({ path }) => path === file,
  )
  const all = scope === 'user' ? await discoverClients(work.environment, { scope }) : []
  const others = all.filter((one) => one.client !== client && one.servers.length > 0)
  return planConfig(work, {
    servers: own.flatMap(({ servers }) => servers.filter(({ enabled }) => enabled)),
    rules: own.flatMap(({ rules }) => rules),
    sources: others.map((one) => ({ type: one.client })),
    scope,
  })
}

/** What a diff of the client's file must not show. */
async function secretsIn(work: Work, client: string, file: string): Promise<string[]> {
  const found = await discoverClients(work.environment, { clients: [client] })
  return found
    .filter(({ path }) => path === file)
    .flatMap(({ servers }) => servers.flatMap((server) => extractSecrets(server, new Map()).secrets))
    .map(({ value }) => value)
}

function checkSection({ file, document: { blocked } }: ClientFileToChange): void {
  if (blocked === undefined) return
  raise('CONFIG_UNWRITABLE', {
    file,
    reason: `'${pathText(blocked.path)}' should be an object of servers, and is ${blocked.found}`,
    todo: 'Make it an object, {} say, or take it out.',
  })
}

function cannotEdit(file: string, { command, args }: Launch): never {
  return raise('CONFIG_UNWRITABLE', {
    file,
    reason: 'it could not be edited without harm to the rest of it',
    todo: `Add a server '${OWN_NAME}' by hand that runs \`${[command, ...args].join(' ')}\`.`,
  })
}
