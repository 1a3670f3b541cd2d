// Creates a vault that has the same notes every time.

import { byKey } from '../../shared/fields.ts'
import * as seed from './seed.ts'
import type { Vault } from './vault.ts'

export function createVault(): Vault {
  return {
    notes: byKey(seed.notes, ({ path }) => path),
    trash: byKey(seed.trash, ({ path }) => path),
    createdFolders: new Set(seed.createdFolders),
    reminders: byKey(seed.reminders, ({ id }) => id),
    counters: new Map([['reminder', seed.reminders.length]]),
  }
}
