// Reads the catalog from the cache file of an earlier command, or else from the gateway, which writes that file.

import { answerFromFile, mayUseCache, type WithCatalog } from './catalog-reader.ts'
import { openCachedCatalog } from './open-cached-catalog.ts'

export const withCatalog: WithCatalog = async (work, need, use) => {
  const cached = mayUseCache(work, need) ? openCachedCatalog(work) : undefined
  const code = cached === undefined ? undefined : await answerFromFile(cached, work, need, use)
  if (code !== undefined) return code
  const { withGateway } = await import('./with-gateway.ts')
  return withGateway(work, need, use)
}
