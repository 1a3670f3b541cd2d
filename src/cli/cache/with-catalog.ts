// Reads the catalog from the cache file, or opens a session in this command and writes the file for the next one.

import { realFiles } from '../../config/config-files.ts'
import { rankerIn } from '../../crib/config-plugins.ts'
import type { Index, Ranker } from '../../search/ranker.ts'
import { approvalsFile } from '../../setup/approvals.ts'
import { loadValid } from '../../setup/load-config.ts'
import { openReadySession, type ServerNeed } from '../gateway/ready-session.ts'
import type { Work } from '../output/work.ts'
import { answerFromCache, answerFromCatalog, mayUseCache, type UseCatalog, type WithCatalog } from './cached-catalog.ts'
import { recordInputs } from './config-inputs.ts'
import { planCatalog, removeCached, writePointer } from './write-catalog.ts'

export const withCatalog: WithCatalog = async (work, need, use) =>
  (await answerFromCache(work, need, use)) ?? answerFromGateway(work, need, use)

async function answerFromGateway(work: Work, need: ServerNeed, use: UseCatalog): Promise<number> {
  const { environment, flags } = work
  const recorder = recordInputs(realFiles, environment.env)
  recorder.note(approvalsFile(environment.stateDir))
  const recorded = { ...work, environment: { ...environment, env: recorder.env } }
  const loaded = await loadValid(recorded, recorder.files)
  const planned = planCatalog(loaded, environment)
  if (planned === undefined) await ignoreFailure(removeCached(environment, flags.config, loaded))
  const plan = mayUseCache(work) ? planned : undefined
  const point = (key: string) => writePointer(environment, flags.config, recorder.inputs(), key)
  if (plan !== undefined) {
    // The pointer may be outdated. The catalog is still valid if no server and no rule has changed.
    const code = await answerFromCatalog(plan.key, work, need, use)
    if (code !== undefined) {
      await ignoreFailure(point(plan.key))
      return code
    }
  }

  const { ranker, built } = remembering(rankerIn(loaded.config))
  await using session = await openReadySession(work, need, { loaded, ranker })
  const code = await use(session)
  // If servers were started, the next command reads their manifests and writes the cache.
  if (plan !== undefined && !session.canStartServers && !work.signal.aborted) {
    const write = async () => {
      const view = await session.view()
      const index = built() ?? (await ranker(view.known, work.signal))
      await plan.write(view, index, await session.ruleWarnings())
      await point(plan.key)
    }
    await ignoreFailure(write())
  }
  return code
}

/** Gives access to the index that a search has built, so that it is not built twice. */
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

/** Ignores a failed write or removal. The cache is optional, and the home folder may be read-only. */
async function ignoreFailure(work: Promise<void>): Promise<void> {
  await work.catch(() => {})
}
