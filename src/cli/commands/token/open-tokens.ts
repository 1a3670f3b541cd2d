// Opens the store with the tokens of `toolcrib token`, runs a function with it, and closes it.

import type { LoadedConfig } from '../../../config/load/load.ts'
import { storeOf } from '../../../config/store-setting.ts'
import { raise } from '../../../core/errors.ts'
import { loadValid } from '../../../setup/load-config.ts'
import { openTokenStore } from '../../../setup/user-stores.ts'
import { memoryStore } from '../../../storage/memory.ts'
import { createTokenBook, type TokenBook } from '../../../storage/token-book.ts'
import type { Work } from '../../output/work.ts'

export async function withTokens<T>(
  work: Work,
  use: (book: TokenBook, loaded: LoadedConfig) => Promise<T>,
): Promise<T> {
  const loaded = await loadValid(work)
  if (storeOf(loaded) === memoryStore) {
    raise('INVALID_OPTIONS', {
      what: 'store',
      reason: 'each process has its own memory, so a gateway would not know the token',
      todo: "Use the store 'file', or list the token in http.tokens.",
    })
  }
  // A store that cannot be written would keep the token in this process only.
  const store = openTokenStore(work.environment, loaded, ({ message, what = message }) =>
    raise('TOKENS_UNAVAILABLE', { reason: what }),
  )
  try {
    return await use(createTokenBook(store), loaded)
  } finally {
    await store[Symbol.asyncDispose]()
  }
}
