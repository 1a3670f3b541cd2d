// Opens the cached catalog for this folder and configuration, if its inputs have not changed.

import type { Work } from '../output/work.ts'
import { cacheConditions, catalogFile, pointerFile, programId, readPointer } from './cache-files.ts'
import { type CatalogFile, openCatalog } from './catalog-file.ts'
import { areUnchanged } from './config-inputs.ts'

export function openCachedCatalog({
  environment,
  flags,
}: Pick<Work, 'environment' | 'flags'>): CatalogFile | undefined {
  const pointer = readPointer(pointerFile(environment, flags.config))
  if (pointer === undefined) return undefined
  if (String(pointer.conditions) !== String(cacheConditions(environment, flags.config))) return undefined
  if (!areUnchanged(pointer.inputs, environment.env)) return undefined
  return openCatalog(catalogFile(environment, pointer.catalog), pointer.catalog, programId(environment))
}
