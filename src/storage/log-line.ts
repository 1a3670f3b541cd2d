// Encodes one record as one line of JSON. The length limit lets a single write keep the line whole.

const MAX_LINE_BYTES = 64 * 1_024
/** The lines that wait are written together, up to this size. A write takes at least one turn of the event loop. */
export const MAX_WRITE_BYTES = 1_024 * 1_024
const MAX_FIELD_BYTES = 1_024
const MAX_FIELDS_NAMED = 20

/**
 * Throws the errors of JSON.stringify. A record that is too long keeps its short fields and lists the others in `cut`.
 */
export function toLine(record: object): string {
  const json = stringify(record)
  // A UTF-16 code unit has at most three bytes, so most lines do not need an exact count.
  if (json.length * 3 < MAX_LINE_BYTES) return `${json}\n`
  const bytes = Buffer.byteLength(json)
  return `${bytes < MAX_LINE_BYTES ? json : withoutLongFields(record, bytes)}\n`
}

function withoutLongFields(record: object, bytes: number): string {
  const kept: [string, unknown][] = []
  const removed: string[] = []
  let bytesLeft = MAX_LINE_BYTES / 2
  for (const [name, value] of Object.entries(record)) {
    const size = Buffer.byteLength(name) + Buffer.byteLength(JSON.stringify(value) ?? '')
    const fits = size <= MAX_FIELD_BYTES && size <= bytesLeft
    if (fits) kept.push([name, value])
    else removed.push(name.slice(0, 100))
    if (fits) bytesLeft -= size
  }
  return stringify({ ...Object.fromEntries(kept), cut: { bytes, fields: removed.slice(0, MAX_FIELDS_NAMED) } })
}

function stringify(record: object): string {
  const json: unknown = JSON.stringify(record)
  // An object may have a `toJSON` method that returns undefined.
  if (typeof json !== 'string') throw new TypeError('The record cannot be written as JSON')
  return json
}
