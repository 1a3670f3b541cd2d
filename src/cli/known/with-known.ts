// Answers from what is known: from the file that an earlier command left behind, or from the gateway, which leaves one.

import { mayComeFromFile, useCatalog, type WithKnown } from './known.ts'
import { openKept } from './open-kept.ts'

export const withKnown: WithKnown = async (work, need, use) => {
  const kept = mayComeFromFile(work, need) ? openKept(work) : undefined
  const code = kept === undefined ? undefined : await useCatalog(kept, work, need, use)
  if (code !== undefined) return code
  const { withGateway } = await import('./with-gateway.ts')
  return withGateway(work, need, use)
}
