// The five tools of a command server. A strategy chooses which of them to list. Unlisted ones can be called too.

import type { MetaTool, StrategyEnvironment } from '../../strategy.ts'
import { createBatch } from './batch.ts'
import { createCall } from './call.ts'
import { createDetail } from './detail.ts'
import { createDiscover } from './discover.ts'
import { createPipe } from './pipe.ts'

interface AfdTools {
  readonly discover: MetaTool
  readonly detail: MetaTool
  readonly call: MetaTool
  readonly batch: MetaTool
  readonly pipe: MetaTool
  readonly all: readonly MetaTool[]
}

export function createAfdTools(environment: StrategyEnvironment): AfdTools {
  const discover = createDiscover(environment)
  const detail = createDetail(environment)
  const call = createCall(environment, [discover.listed.name, detail.listed.name])
  const batch = createBatch(environment)
  const pipe = createPipe(environment)
  return { discover, detail, call, batch, pipe, all: [discover, detail, call, batch, pipe] }
}
