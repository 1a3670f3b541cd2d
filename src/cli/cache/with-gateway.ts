// Answers through the gateway, and writes the catalog cache for the next command.

import { realFiles } from '../../config/config-files.ts'
import { rankerIn } from '../../crib/config-plugins.ts'
import type { View } from '../../disclosure/view.ts'
import type { Index, Ranker } from '../../search/ranker.ts'
import { approvalsFile } from '../../setup/approvals.ts'
import { loadValid } from '../../setup/load-config.ts'
import { openReadySession, type ReadySession, type ServerNeed } from '../gateway/ready-session.ts'
import type { Work } from '../output/work.ts'
import { answerFromFile, type CatalogPlan, mayUseCache, openCatalog } from './cached-catalog.ts'
import type { UseCatalog } from './catalog-reader.ts'
import { type InputRecorder, recordInputs } from './config-inputs.ts'
import { planCatalog, removeCached, writeCatalog, writePointer } from './write-cached-catalog.ts'

export async function withGateway(work: Work, need: ServerNeed, use: UseCatalog): Promise<number> {
  const { environment, flags } = work
  const recorder = recordInputs(realFiles, environment.env)
  recorder.note(approvalsFile(environment.stateDir))
  const recordedWork = { ...work, environment: { ...environment, env: recorder.env } }
  const loaded = await loadValid(recordedWork, recorder.files)
  const plan = planCatalog(loaded, environment)
  if (plan === undefined) await ignoreFailure(removeCached(environment, flags.config, loaded))
  // The pointer file, which maps this folder and configuration to a catalog, may be outdated. The catalog is still valid
  // if no server and no rule has changed.
  const cached = plan && openCatalog(environment, plan.key)
  const mayUse = mayUseCache(work)
  if (plan !== undefined && cached !== undefined) {
    const code = mayUse ? await answerFromFile(cached, work, need, use) : undefined
    cached.file.close()
    await ignoreFailure(writePointerFor(work, recorder, plan))
    if (code !== undefined) return code
  }

  const { ranker, lastIndex } = keepIndex(rankerIn(loaded.config))
  await using session = await openReadySession(work, need, { loaded, ranker })
  const code = await use(session)
  // With --verbose the cached catalog was not read, and it stays. Otherwise it was not usable and is written again.
  const isCached = cached !== undefined && !mayUse
  // If servers were started, the next command reads their manifests and writes the cache.
  if (plan !== undefined && !isCached && !session.isLive && !work.signal.aborted) {
    await ignoreFailure(
      writeAll(work, recorder, plan, session, async (view) => lastIndex() ?? ranker(view.known, work.signal)),
    )
  }
  return code
}

async function writeAll(
  work: Work,
  recorder: InputRecorder,
  plan: CatalogPlan,
  session: ReadySession,
  indexOf: (view: View) => Promise<Index>,
): Promise<void> {
  const view = await session.view()
  const index = await indexOf(view)
  await writeCatalog(work.environment, plan, view, index, await session.ruleWarnings())
  await writePointerFor(work, recorder, plan)
}

async function writePointerFor(
  { environment, flags }: Work,
  recorder: InputRecorder,
  plan: CatalogPlan,
): Promise<void> {
  const inputs = recorder.inputs()
  if (inputs !== undefined) await writePointer(environment, flags.config, inputs, plan.key)
}

/** Keeps the index that a search has built, so that it is not built twice. */
function keepIndex(ranker: Ranker): { readonly ranker: Ranker; lastIndex(): Index | undefined } {
  let last: Index | undefined
  return {
    async ranker(...given) {
      last = await ranker(...given)
      return last
    },
    lastIndex: () => last,
  }
}

/** Ignores a failed write or removal. The cache is optional, and the home folder may be read-only. */
async function ignoreFailure(work: Promise<void>): Promise<void> {
  await work.catch(() => {})
}
