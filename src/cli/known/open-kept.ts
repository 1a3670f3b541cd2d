// The catalog that an earlier command has kept for this folder and this configuration, where it still holds.

import type { Work } from '../work.ts'
import { type CatalogFile, openCatalog } from './catalog-file.ts'
import { holds } from './grounds.ts'
import { catalogFile, circumstancesOf, makerOf, placeFile, readPlace } from './places.ts'

export function openKept({ environment, flags }: Pick<Work, 'environment' | 'flags'>): CatalogFile | undefined {
  const place = readPlace(placeFile(environment, flags.config))
  if (place === undefined) return undefined
  if (String(place.circumstances) !== String(circumstancesOf(environment, flags.config))) return undefined
  if (!holds(place.grounds, environment.env)) return undefined
  return openCatalog(catalogFile(environment, place.catalog), place.catalog, makerOf(environment))
}
