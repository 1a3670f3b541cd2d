// Runs `toolcrib serve --explain`: prints the strategy that would serve, the reason, and the cost of each strategy.

import { loadValid } from '../../../setup/load-config.ts'
import { openReadySession } from '../../gateway/ready-session.ts'
import { DISCOVERY_IS_OFF } from '../../output/no-servers.ts'
import type { Work } from '../../output/work.ts'
import { explainStrategy, explanationLines } from '../../strategy/explain-strategy.ts'
import type { ServeFlags } from './serve-flags.ts'

export async function explainServe(work: Work, flags: ServeFlags): Promise<number> {
  const { environment, output } = work
  const { checkStrategy, chooseStrategy } = await import('../../strategy/choose-strategy.ts')
  const loaded = await withDemo(await loadValid(work), flags)
  const chosen = chooseStrategy(loaded, flags, environment.env)
  checkStrategy(chosen)
  await using session = await openReadySession(work, { isNeeded: () => true, isPatient: true }, { loaded })
  const explanation = await explainStrategy(chosen, await session.view(), environment, loaded)
  for (const [server, { reason }] of session.unreached) output.printError(`${server}: ${reason}`)
  if (session.isDiscoveryOff) output.note(DISCOVERY_IS_OFF)
  output.show(explanation, () => explanationLines(explanation, output.width))
  return 0
}

async function withDemo(loaded: Awaited<ReturnType<typeof loadValid>>, { demo }: ServeFlags) {
  if (!demo || loaded.servers.length > 0) return loaded
  const { demoServers } = await import('./demo.ts')
  return { ...loaded, servers: await demoServers() }
}
