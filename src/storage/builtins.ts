// All kinds of stores by the name that `store` in the config accepts. To add one, add a file and a line here.

import { fileStore } from './file.ts'
import { memoryStore } from './memory.ts'
import { redisStore } from './redis.ts'
import type { StorePlugin } from './store.ts'

/** The first kind is the default. */
export const stores: ReadonlyMap<string, StorePlugin> = new Map(
  [fileStore, memoryStore, redisStore].map((store) => [store.name, store]),
)
