// Exports one section of the records as the text of a file.

import type { WorkshopState } from './model.ts'

export const sectionNames = ['customers', 'bikes', 'orders', 'parts', 'invoices', 'appointments', 'staff'] as const

export function exportSection(
  state: WorkshopState,
  section: (typeof sectionNames)[number],
  format: 'csv' | 'json',
): { rows: number; text: string } {
  const records: readonly object[] = [...state[section].values()]
  return { rows: records.length, text: format === 'json' ? JSON.stringify(records) : toCsv(records) }
}

function toCsv(records: readonly object[]): string {
  const columns = Object.keys(records[0] ?? {})
  const rows = records.map((record) => Object.values(record).map(cell).join(','))
  return `${[columns.join(','), ...rows].join('\r\n')}\r\n`
}

function cell(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
