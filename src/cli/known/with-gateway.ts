// The gateway answers, and what it knew is kept for the commands that come after.

import { realFiles } from '../../config/config-files.ts'
import { bm25f } from '../../search/bm25f/bm25f.ts'
import type { Index, Ranker } from '../../search/ranker.ts'
import { approvalsFile } from '../approvals.ts'
import { type KnowingSession, openKnowing } from '../knowing-session.ts'
import { loadValid } from '../session.ts'
import type { Work } from '../work.ts'
import { openCatalog } from './catalog-file.ts'
import { type GroundsRecorder, recordGrounds } from './grounds.ts'
import { type CatalogPlan, forget, keepCatalog, keepPlace, planOf } from './keep.ts'
import { type KnownNeed, mayComeFromFile, type UseKnown, useCatalog } from './known.ts'
import { catalogFile, makerOf } from './places.ts'

export async function withGateway(work: Work, need: KnownNeed, use: UseKnown): Promise<number> {
  const { environment, flags } = work
  const recorder = recordGrounds(realFiles, environment.env)
  recorder.note(approvalsFile(environment.stateDir))
  const recorded = { ...work, environment: { ...environment, env: recorder.env } }
  const loaded = await loadValid(recorded, recorder.files)
  const plan = planOf(loaded, environment)
  if (plan === undefined) await quietly(forget(environment, flags.config, loaded))
  // An edit that changes no server and no rule leaves the catalog as it was.
  const kept = plan && openCatalog(catalogFile(environment, plan.key), plan.key, makerOf(environment))
  const mayUse = mayComeFromFile(work, need)
  if (plan !== undefined && kept !== undefined) {
    const code = mayUse ? await useCatalog(kept, work, need, use) : undefined
    kept.file.close()
    await quietly(keepPlaceOf(work, recorder, plan))
    if (code !== undefined) return code
  }

  const { ranker, built } = remembering(bm25f)
  await using session = await openKnowing(work, need, { loaded, ranker })
  const code = await use(session)
  // One that was tried and not enough, or damaged, is made again.
  const isKept = kept !== undefined && !mayUse
  // What servers that were started have told is in their manifests, for the next command to read.
  if (plan !== undefined && !isKept && !session.isLive && !work.signal.aborted) {
    await quietly(keepAll(work, recorder, plan, session, built))
  }
  return code
}

async function keepAll(
  work: Work,
  recorder: GroundsRecorder,
  plan: CatalogPlan,
  session: KnowingSession,
  built: () => Index | undefined,
): Promise<void> {
  const view = await session.view()
  const index = built() ?? (await bm25f(view.known, work.signal))
  const [unknown, remarks] = [await session.unknown(), await session.remarks()]
  await keepCatalog(work.environment, plan, { view, unknown, index, remarks })
  await keepPlaceOf(work, recorder, plan)
}

async function keepPlaceOf({ environment, flags }: Work, recorder: GroundsRecorder, plan: CatalogPlan): Promise<void> {
  const grounds = recorder.grounds()
  if (grounds !== undefined) await keepPlace(environment, flags.config, grounds, plan.key)
}

/** The index that a search has built need not be built again. */
function remembering(ranker: Ranker): { readonly ranker: Ranker; built(): Index | undefined } {
  let last: Index | undefined
  return {
    async ranker(...given) {
      last = await ranker(...given)
      return last
    },
    built: () => last,
  }
}

/** Whoever has the answer is not told that the next one will take as long: a home may be read-only. */
async function quietly(work: Promise<void>): Promise<void> {
  await work.catch(() => {})
}
