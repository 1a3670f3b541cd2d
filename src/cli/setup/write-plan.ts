// Carries out what was planned for our own config: the file itself, and the values behind its references.

import { checkReplaceable, replaceFile } from '../../config/write-file.ts'
import type { ExtractedSecret } from '../../config/write-secrets.ts'
import { messageOf } from '../../core/text.ts'
import type { Environment } from '../environment.ts'
import { secretLine, secretsFile } from '../secrets-file.ts'
import type { Work } from '../work.ts'
import { addSecrets } from './add-secrets.ts'
import type { ConfigPlan } from './config-plan.ts'

export interface WrittenPlan {
  readonly file: string
  readonly backup: string | undefined
  /** The file with the values, and the variables whose value had to be left out of it. */
  readonly secretsFile: string | undefined
  readonly toExport: readonly string[]
}

const CHECK_VALUES = 'Its older values were not in use, and are from now on: look through them.'

export async function writePlan(work: Work, plan: ConfigPlan): Promise<WrittenPlan> {
  if (plan.after !== plan.before) await checkReplaceable(plan.file, plan.before)
  // The values first: a config that refers to what is nowhere would start nothing.
  const kept = await keepSecrets(work, plan.secrets)
  const backup = plan.after === plan.before ? undefined : await replaceFile(plan.file, plan)
  return { file: plan.file, backup, ...kept }
}

/** Every file that `writePlan` would write. */
export function filesOf({ environment }: Work, { file, before, after, secrets }: ConfigPlan): readonly string[] {
  return [
    ...(after === before ? [] : [file]),
    ...(freshOf(secrets, environment).some(({ name, value }) => secretLine(name, value) !== undefined)
      ? [secretsFile(environment)]
      : []),
  ]
}

/** Those whose value is not known here already. */
function freshOf(secrets: readonly ExtractedSecret[], { env }: Environment): readonly ExtractedSecret[] {
  return secrets.filter(({ name, value }) => env[name] !== value)
}

async function keepSecrets(
  { environment, output }: Work,
  secrets: readonly ExtractedSecret[],
): Promise<Pick<WrittenPlan, 'secretsFile' | 'toExport'>> {
  const fresh = freshOf(secrets, environment)
  if (fresh.length === 0) return { secretsFile: undefined, toExport: [] }
  const lines = new Map(fresh.map(({ name, value }) => [name, secretLine(name, value)]))
  const writable = [...lines].filter((line): line is [string, string] => line[1] !== undefined)
  const file = secretsFile(environment)
  try {
    const { wasLoose } = await addSecrets(
      file,
      writable.map(([, line]) => line),
    )
    if (wasLoose && environment.platform !== 'win32') {
      output.note(`${file} could be read or changed by others; it is yours alone now (mode 0600). ${CHECK_VALUES}`)
    }
    const toExport = [...lines].filter(([, line]) => line === undefined).map(([name]) => name)
    return { secretsFile: file, toExport }
  } catch (error) {
    output.note(`${file} cannot be written: ${messageOf(error)}`)
    return { secretsFile: undefined, toExport: [...lines.keys()] }
  }
}
