// Runs `toolcrib remove`, `enable` and `disable`: shows the change of the config, asks, and writes it.

import { ToolcribError } from '../../core/errors.ts'
import { approveWritten } from '../../setup/config-plan.ts'
import type { Environment } from '../../setup/environment.ts'
import type { ServerEdit } from '../../setup/files/write-config.ts'
import { loadFor } from '../../setup/load-config.ts'
import { planEdit, type ServerChange } from '../../setup/plan-server.ts'
import { secretsFile as secretsPath } from '../../setup/secrets-file.ts'
import { filesOf, writePlan } from '../../setup/write-plan.ts'
import { confirm, DECLINED } from '../output/ask.ts'
import { errorOfThrown } from '../output/error-for-people.ts'
import type { Output } from '../output/output.ts'
import { oneLine, shortPath, wrap } from '../output/text.ts'
import { type ChangeFlags, failWith, type Work } from '../output/work.ts'
import { explainUnknownServer } from './other-configs.ts'
import { changeLines, writtenLines } from './plan-lines.ts'

const DONE: Readonly<Record<ServerEdit, string>> = {
  remove: 'is no longer in the config',
  enable: 'is enabled',
  disable: 'is disabled',
}

export async function editServer(work: Work, name: string, edit: ServerEdit, flags: ChangeFlags): Promise<number> {
  const { output, environment } = work
  const { home } = environment
  const change = await planEdit(work, name, edit).catch((thrown: unknown) => {
    if (thrown instanceof ToolcribError && thrown.code === 'SERVER_NOT_FOUND') return errorOfThrown(thrown)
    throw thrown
  })
  if ('code' in change) return failWith(output, await explainUnknownServer(work, change, name))
  const { file, before, after, copiedFrom } = change
  const document = { server: name, file, ...(copiedFrom === undefined ? {} : { copiedFrom }) }
  const shown = oneLine(name)
  if (before === after) {
    output.show({ ...document, written: false, changed: false }, () =>
      output.isQuiet ? [] : output.wrap(`Nothing to do: '${shown}' ${DONE[edit]} already.`),
    )
    return 0
  }
  if (!output.isQuiet) {
    const secrets = change.secrets.map(({ value }) => value)
    output.print(...(await changeLines(change, output, secrets)), ...copyLines(change, output))
  }
  if (flags.dryRun === true) {
    output.show({ ...document, written: false, changed: true }, () =>
      output.isQuiet ? [file] : ['Nothing was changed (--dry-run).'],
    )
    return 0
  }
  if (!(await confirm(work, flags, filesOf(work, change)))) return DECLINED
  const written = await writePlan(work, change)
  if (change.isOfProject) await approveWritten(work, change)
  const servedFrom = edit === 'remove' ? await fileThatServes(work, name) : undefined
  const unused = unusedSecrets(change, environment)
  const { backup = null, secretsFile = null } = written
  output.show(
    {
      ...document,
      written: true,
      changed: true,
      backup,
      secretsFile,
      ...(servedFrom && { stillServedFrom: servedFrom }),
      unusedSecrets: unused,
    },
    () => {
      if (output.isQuiet) return [file]
      const rest =
        servedFrom === undefined
          ? '; running gateways apply the change'
          : `, but is still served from ${oneLine(shortPath(servedFrom, home))}`
      const unusedText = `Its secret values stay in ${oneLine(shortPath(secretsPath(environment), home))}: ${unused.join(', ')}`
      return [
        ...writtenLines(written, output),
        ...wrap(`'${shown}' ${DONE[edit]}${rest}.`, output.width),
        ...(unused.length === 0 ? [] : output.wrap(unusedText)),
      ]
    },
  )
  return 0
}

/** The names in the secrets file that the config referred to before the change, and no longer refers to. */
function unusedSecrets({ before, after }: ServerChange, { secretNames }: Environment): readonly string[] {
  const refers = (text: string, name: string) => text.includes(`\${${name}}`) || text.includes(`\${${name}:-`)
  return secretNames.filter((name) => refers(before, name) && !refers(after, name))
}

function copyLines({ copiedFrom }: ServerChange, output: Output): readonly string[] {
  if (copiedFrom === undefined) return []
  const why = `The server comes from a file of ${copiedFrom}, which stays as it is. The entry in the config takes precedence over it.`
  return [...output.wrap(why), '']
}

/** The file that still provides an enabled server with this name. */
async function fileThatServes({ environment, flags, signal }: Work, name: string): Promise<string | undefined> {
  const { servers } = await loadFor(environment, flags, signal)
  return servers.find((one) => one.name === name && one.enabled)?.origin.file
}
