// Runs `toolcrib add`: shows the change, asks, starts the server once, and writes it into the config unless it fails.

import type { ServerConfig } from '../../../config/server-config.ts'
import { shellWord } from '../../../core/text.ts'
import { approveWritten, type ConfigPlan } from '../../../setup/config-plan.ts'
import { planAddition } from '../../../setup/plan-server.ts'
import { filesOf, writePlan } from '../../../setup/write-plan.ts'
import { confirm, DECLINED } from '../../output/confirm.ts'
import { connectionLine } from '../../output/connection-line.ts'
import { unavailable } from '../../output/error-for-people.ts'
import { changeLines, planNotes, writtenLines } from '../../output/plan-lines.ts'
import { count, oneLine, wrap } from '../../output/text.ts'
import { failWith, type Work } from '../../output/work.ts'
import type { AddFlags } from './server-from-words.ts'
import { type Trial, tryServer } from './try-server.ts'

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
