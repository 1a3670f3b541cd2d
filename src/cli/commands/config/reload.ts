// toolcrib config reload: makes every running gateway of this user read its configuration again.

import { errorOf } from '../../../core/errors.ts'
import { isRecord } from '../../../core/is-record.ts'
import { askGateways, type GatewayAnswer } from '../../gateway/ask-gateways.ts'
import { count, oneLine } from '../../output/text.ts'
import { failWith, type Work } from '../../output/work.ts'

/** The exit code if a gateway did not apply its configuration, or did not answer. */
const NOT_APPLIED = 2

export async function reloadGateways({ environment, output, signal }: Work): Promise<number> {
  const answers = await askGateways(environment.stateDir, 'reload', signal)
  if (answers.length === 0) return failWith(output, errorOf('NO_GATEWAY', {}))
  const gateways = answers.map(readAnswer)
  output.show({ gateways }, () =>
    gateways.flatMap(({ pid, answered, applied, servers, reasons }) => {
      const { paint } = output
      const mark = applied ? paint.green('✓') : paint.red('✗')
      const refused = answered ? 'did not apply the configuration' : 'did not answer'
      const what = applied ? `reloaded, ${count(servers, 'server')}` : refused
      return [`${mark} Gateway ${pid}: ${what}`, ...reasons.flatMap((reason) => output.wrap(reason, '  '))]
    }),
  )
  return gateways.every(({ applied }) => applied) ? 0 : NOT_APPLIED
}

function readAnswer({ pid, hasAnswered, reply }: GatewayAnswer) {
  const problems = Array.isArray(reply.problems) ? reply.problems.filter(isRecord) : []
  const reasons = [...(typeof reply.error === 'string' ? [reply.error] : []), ...problems.map(problemLine)]
  return {
    pid,
    answered: hasAnswered,
    applied: reply.applied === true,
    servers: Number(reply.servers ?? 0),
    /** The reasons if the configuration was not applied, or the warnings about the applied configuration. */
    reasons: reasons.map(oneLine),
  }
}

/** Like `renderProblem`, for an unchecked reply. `file` is missing if the configuration does not come from a file. */
function problemLine({ severity, file, path, message }: Readonly<Record<string, unknown>>): string {
  const where = [file, path].filter(Boolean).join(' ')
  return [severity, where, message].filter(Boolean).join(': ')
}
