// All kinds of stores of this package, by name. To add one, add a file and a line here.

import { fileStore } from './file.ts'
import { memoryStore } from './memory.ts'
import { redisStore } from './redis.ts'
import type { StorePlugin } from './store.ts'

/** An error about an unknown store lists them in this order. */
export const stores: ReadonlyMap<string, StorePlugin> = new Map(
  [fileStore, memoryStore, redisStore].map((store) => [store.name, store]),
)
