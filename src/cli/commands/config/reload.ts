// toolcrib config reload: makes every running gateway of this user read its configuration again.

import { errorOf } from '../../../core/errors.ts'
import { isRecord } from '../../../core/is-record.ts'
import { askGateways, type GatewayAnswer } from '../../gateway/ask-gateways.ts'
import { count, oneLine, wrap } from '../../output/text.ts'
import { failWith, type Work } from '../../output/work.ts'

/** The exit code if a gateway kept its configuration. */
const NOT_APPLIED = 2

export async function reloadGateways({ environment, output, signal }: Work): Promise<number> {
  const answers = await askGateways(environment.stateDir, 'reload', signal)
  if (answers.length === 0) return failWith(output, errorOf('NO_GATEWAY', {}))
  const gateways = answers.map(readAnswer)
  output.show({ gateways }, () =>
    gateways.flatMap(({ pid, applied, servers, reasons }) => {
      const { paint, width } = output
      const mark = applied ? paint.green('✓') : paint.red('✗')
      const what = applied ? `reloaded, ${count(servers, 'server')}` : 'kept its configuration'
      return [`${mark} Gateway ${pid}: ${what}`, ...reasons.flatMap((reason) => wrap(reason, width, '  '))]
    }),
  )
  return gateways.every(({ applied }) => applied) ? 0 : NOT_APPLIED
}

function readAnswer({ pid, reply }: GatewayAnswer) {
  const fields: Readonly<Record<string, unknown>> = reply
  const problems = Array.isArray(fields.problems) ? fields.problems.filter(isRecord) : []
  const reasons = [
    ...(typeof fields.error === 'string' ? [fields.error] : []),
    ...problems.map(({ file, path, message }) => [file, path, message].filter(Boolean).join(' ')),
  ]
  const applied = fields.applied === true
  return { pid, applied, servers: Number(fields.servers ?? 0), reasons: applied ? [] : reasons.map(oneLine) }
}
