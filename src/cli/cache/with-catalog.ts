// Reads the catalog from the file of an earlier command, or else from the gateway, which writes that file.

import { answerFromCache } from './cached-catalog.ts'
import type { WithCatalog } from './catalog-reader.ts'

export const withCatalog: WithCatalog = async (work, need, use) =>
  (await answerFromCache(work, need, use)) ?? (await import('./with-gateway.ts')).withGateway(work, need, use)
