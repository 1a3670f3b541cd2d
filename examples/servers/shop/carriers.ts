// The prices, countries and delivery times of carriers.

import { addDays, daysBetween } from '../../shared/days.ts'
import type { Shipment } from './model.ts'

interface Carrier {
  readonly baseCents: number
  readonly centsPerKg: number
  readonly days: number
  /** An empty list means all countries. */
  readonly countries: readonly string[]
  readonly maxGrams: number
}

export const tariffs: Readonly<Record<Shipment['carrier'], Carrier>> = {
  post: { baseCents: 390, centsPerKg: 120, days: 5, countries: [], maxGrams: 20_000 },
  courier: { baseCents: 890, centsPerKg: 200, days: 2, countries: ['DE', 'AT', 'CH', 'NL', 'PT'], maxGrams: 30_000 },
  bike: { baseCents: 590, centsPerKg: 90, days: 1, countries: ['DE'], maxGrams: 8_000 },
}

export function canCarry(carrier: Shipment['carrier'], country: string, grams: number): boolean {
  const { countries, maxGrams } = tariffs[carrier]
  return grams <= maxGrams && (countries.length === 0 || countries.includes(country))
}

export function priceCents(carrier: Shipment['carrier'], grams: number): number {
  const { baseCents, centsPerKg } = tariffs[carrier]
  return baseCents + Math.ceil(grams / 1_000) * centsPerKg
}

/** The events of a parcel until `today` (inclusive), computed from the usual delivery time of its carrier. */
export function eventsOf({ carrier, sentOn }: Shipment, today: string) {
  const { days } = tariffs[carrier]
  const planned = [
    { date: sentOn, event: 'handed to the carrier' },
    { date: addDays(sentOn, Math.floor(days / 2)), event: 'in transit' },
    { date: addDays(sentOn, days), event: 'delivered' },
  ]
  return planned.filter(({ date }) => daysBetween(date, today) >= 0)
}
