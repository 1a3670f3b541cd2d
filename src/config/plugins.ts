// The plugins of a config in code: strategies, rankers, sources, stores and importers of the user.

import { z } from 'zod'
import { isPlugin } from '../core/plugin.ts'
import { isStorePlugin, type StorePlugin } from '../storage/store.ts'

/** The result of `defineStrategy`, `defineRanker`, `defineSource` or `defineImporter`. Only `name` is checked here. */
export interface NamedPlugin {
  /** Settings choose the plugin by this name. */
  readonly name: string
}

const pluginList = (define: string) =>
  z.array(z.custom<NamedPlugin>((value) => isPlugin(value), `the result of ${define}()`)).optional()

/** Settings choose a plugin by its name, as they choose a built-in one. */
export const pluginsSchema = z.strictObject({
  strategies: pluginList('defineStrategy'),
  rankers: pluginList('defineRanker'),
  sources: pluginList('defineSource'),
  stores: z.array(z.custom<StorePlugin>(isStorePlugin, 'the result of defineStore()')).optional(),
  importers: pluginList('defineImporter'),
})
