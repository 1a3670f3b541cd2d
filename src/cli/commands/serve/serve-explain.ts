// Runs `toolcrib serve --explain`: prints the strategy that would serve, the reason, and the cost of each strategy.

import { loadValid } from '../../../setup/load-config.ts'
import { openReadySession } from '../../gateway/session.ts'
import { DISCOVERY_IS_OFF } from '../../output/notes.ts'
import type { Work } from '../../output/work.ts'
import { withDemo } from '../../serving/demo.ts'
import type { ServeFlags } from '../../serving/front-door.ts'
import { checkStrategy, chooseStrategy } from '../../strategy/choose-strategy.ts'
import { explainStrategy, explanationLines } from '../../strategy/explain-strategy.ts'

export async function explainServe(work: Work, flags: ServeFlags): Promise<number> {
  const { environment, output } = work
  const configured = await loadValid(work)
  const loaded = flags.demo ? await withDemo(configured) : configured
  const chosen = chooseStrategy(loaded, flags, environment.env)
  checkStrategy(chosen)
  await using session = await openReadySession(work, { isNeeded: () => true, isPatient: true }, { loaded })
  const explanation = await explainStrategy(chosen, await session.view(), environment, loaded)
  for (const [server, { reason }] of session.unreached) output.printError(`${server}: ${reason}`)
  if (session.isDiscoveryOff) output.note(DISCOVERY_IS_OFF)
  output.show(explanation, () => explanationLines(explanation, output))
  return 0
}
