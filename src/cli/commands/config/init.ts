// toolcrib config init: writes a config with comments to start from.

import { approveWritten } from '../../../setup/config-plan.ts'
import { checkReplaceable, replaceFile } from '../../../setup/files/write-file.ts'
import { planStarter } from '../../../setup/starter-config.ts'
import { confirm, DECLINED } from '../../output/ask.ts'
import { wrap } from '../../output/text.ts'
import type { ChangeFlags, Work } from '../../output/work.ts'

export interface InitFlags extends ChangeFlags {
  readonly project?: boolean
  readonly ts?: boolean
}

export async function initConfig(work: Work, flags: InitFlags): Promise<number> {
  const { output, environment } = work
  const isProject = flags.project === true
  const { file, text, clients } = await planStarter(environment, {
    isProject,
    isTypeScript: flags.ts === true,
    given: flags.config,
  })
  const document = { file, text, clients }
  if (flags.dryRun === true) {
    output.show({ ...document, written: false }, () => text.trimEnd().split('\n'))
    return 0
  }
  await checkReplaceable(file, '')
  if (!(await confirm(work, flags, [file]))) return DECLINED
  await replaceFile(file, { before: '', after: text })
  // A project config needs an approval, unless --config names it. The user has just agreed to this text, so it gets one.
  const needsApproval = isProject && flags.config === undefined
  if (needsApproval) await approveWritten(work, { file, after: text })
  const path = output.path(file)
  output.show({ ...document, written: true }, () => {
    if (output.isQuiet) return [file]
    const approval = needsApproval
      ? ' After an edit, `toolcrib trust` shows what the file would run, and asks you to approve it.'
      : ''
    const next = `Next: add your servers to it. \`toolcrib config validate\` checks it, and \`toolcrib doctor\` starts each server.${approval}`
    return [`${output.paint.green('✓')} Wrote ${path}`, ...wrap(output.keepConfig(next), output.width)]
  })
  return 0
}
