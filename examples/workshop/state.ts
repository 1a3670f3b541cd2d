// The records of the workshop in memory, filled with the same data every time.

import type { WorkshopState } from './model.ts'
import * as seed from './seed.ts'

export type { WorkshopState } from './model.ts'

export function createWorkshopState(): WorkshopState {
  const tables = {
    customers: byId(seed.customers),
    bikes: byId(seed.bikes),
    orders: byId(seed.orders),
    parts: byId(seed.parts),
    invoices: byId(seed.invoices),
    appointments: byId(seed.appointments),
    staff: byId(seed.staff),
  }
  const lastNumbers = new Map<string, number>()
  for (const id of Object.values(tables).flatMap((table) => [...table.keys()])) {
    const [prefix = '', number] = id.split('-')
    lastNumbers.set(prefix, Math.max(lastNumbers.get(prefix) ?? 0, Number(number)))
  }
  return { today: seed.today, ...tables, lastNumbers }
}

export type IdPrefix = 'cus' | 'bik' | 'ord' | 'prt' | 'inv' | 'apt' | 'stf'

export function nextId(state: WorkshopState, prefix: IdPrefix): string {
  const number = (state.lastNumbers.get(prefix) ?? 0) + 1
  state.lastNumbers.set(prefix, number)
  return `${prefix}-${number}`
}

function byId<T extends { readonly id: string }>(records: readonly T[]): Map<string, T> {
  return new Map(records.map((record) => [record.id, record]))
}
