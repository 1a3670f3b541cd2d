// Runs `toolcrib uninstall CLIENT`: restores the client's file from before the installation, and keeps later edits.

import { BACKUP, replaceFile } from '../../../setup/files/write-file.ts'
import { loadFor } from '../../../setup/load-config.ts'
import { planRestore, type RestorePlan } from '../../../setup/plan-restore.ts'
import { confirm, DECLINED } from '../../output/confirm.ts'
import { changeLines, writtenLines } from '../../output/plan-lines.ts'
import type { InstallFlags } from '../../output/setup-flags.ts'
import { count, oneLine, shortPath, wrap } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'

export async function uninstallClient(work: Work, client: string, flags: InstallFlags): Promise<number> {
  const { output, environment } = work
  const { home } = environment
  const plan = await planRestore(environment, { client, project: flags.project === true })
  const { file } = plan
  const base = { client, file }
  if (!('after' in plan)) {
    output.show({ ...base, written: false, restores: [] }, () => [
      `Nothing to do: the gateway is not in ${shortPath(file, home)}.`,
    ])
    return 0
  }
  const { restores, hasBackup } = plan
  output.print(...(await restoreLines(work, plan)))
  if (flags.dryRun === true) {
    output.show({ ...base, written: false, restores }, () => ['Nothing was changed (--dry-run).'])
    return 0
  }
  if (!(await confirm(work, flags, [file]))) return DECLINED
  const backup = await replaceFile(file, plan)
  output.show({ ...base, written: true, restores, backup: backup ?? null }, () => [
    ...writtenLines({ file, backup, secretsFile: undefined, toExport: [] }, home, output),
    '',
    ...wrap(`${endLine(client, restores.length, hasBackup)} Restart the client.`, output.width),
  ])
  return 0
}

/** The diff of the client's file, and a note if it has no backup. */
export async function restoreLines(work: Work, plan: RestorePlan): Promise<readonly string[]> {
  const { output, environment } = work
  return [
    ...(await changeLines(plan, environment.home, output, plan.secrets)),
    ...(plan.hasBackup ? [] : wrap(await noBackupText(work, plan.file), output.width)),
  ]
}

/** Only a backup shows which servers the client had: our config does not store where a server came from. */
async function noBackupText({ environment, flags, signal }: Work, file: string): Promise<string> {
  // The gateway is removed even if its config cannot be read.
  const loaded = await loadFor(environment, flags, signal).catch(() => undefined)
  const own = (loaded?.servers ?? [])
    .filter(({ origin }) => origin.source === 'config' || origin.source === 'project')
    .map(({ name }) => oneLine(name))
  const found = `No server is restored: there is no backup of ${shortPath(file, environment.home)} from before the gateway was installed (${BACKUP}…).`
  if (own.length === 0) return found
  return `${found} The gateway's config contains ${own.join(', ')}. \`toolcrib config show --verbose\` prints how each is started; add those that the client had to its file by hand.`
}

export function endLine(client: string, restored: number, hasBackup: boolean): string {
  if (!hasBackup) return `The gateway is removed from ${client}.`
  if (restored === 0) return `The gateway is removed from ${client}; it had replaced no server.`
  return `${client} has its ${count(restored, 'server')} back, and the gateway is removed.`
}
