// Example strings and numbers that fit the limits of their schema.

import { exampleOfPattern } from './example-pattern.ts'
import { isDescriptiveFormat } from './limit-text.ts'
import type { NumberForm, StringForm } from './schema-form.ts'

// These names and addresses are reserved for documentation (RFC 2606, RFC 5737, RFC 3849).
const FORMATS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'date-time': '2025-01-31T09:30:00Z',
    date: '2025-01-31',
    time: '09:30:00Z',
    duration: 'P1D',
    email: 'name@example.com',
    'idn-email': 'name@example.com',
    hostname: 'example.com',
    'idn-hostname': 'example.com',
    ipv4: '192.0.2.1',
    ipv6: '2001:db8::1',
    cidrv4: '192.0.2.0/24',
    cidrv6: '2001:db8::/32',
    uri: 'https://example.com',
    url: 'https://example.com',
    'uri-reference': '/example',
    iri: 'https://example.com',
    'iri-reference': '/example',
    'uri-template': 'https://example.com/{id}',
    'json-pointer': '/example',
    'relative-json-pointer': '0',
    regex: 'example',
    uuid: '123e4567-e89b-12d3-a456-426614174000',
    byte: 'ZXhhbXBsZQ==',
    json: '{}',
  }),
)

const MAX_CHARS = 2_000

/**
 * Without a format and a pattern, `nth` gives another value when several must differ. Undefined if no value is found.
 */
export function exampleString({ format, pattern, length }: StringForm, nth = 0): string | undefined {
  const { min = 0, max = MAX_CHARS } = length
  if (min > max || min > MAX_CHARS) return undefined
  const known = format === undefined ? undefined : FORMATS.get(format)
  if (known !== undefined && (pattern === undefined || isDescriptiveFormat(format))) return known
  if (pattern !== undefined) {
    const made = exampleOfPattern(pattern, length)
    // For the pattern `^https://` the made text is `https://`, which is not an address. The known example starts with
    // it.
    return known !== undefined && (made === undefined || known.startsWith(made)) ? known : made
  }
  const word = nth === 0 ? 'example' : `${nth}-example`
  return word.repeat(Math.max(1, Math.ceil(min / word.length))).slice(0, Math.max(min, Math.min(max, word.length)))
}

/**
 * A value near 1 if one fits, else near a limit or halfway between the limits. `nth` gives another value when several
 * must differ.
 */
export function exampleNumber(form: NumberForm, nth = 0): number | undefined {
  const { kind, min, max, above, below } = form
  const unit = form.step ?? (kind === 'integer' ? 1 : 0)
  const [low, high] = [min ?? above, max ?? below]
  const middle = low === undefined || high === undefined ? undefined : (low + high) / 2
  const starts = [1, low, high, middle].filter((start) => start !== undefined)
  const near = starts.flatMap((start) => {
    const whole = unit === 0 ? start : Math.ceil(start / unit) * unit
    return [whole, whole + (unit || 1), whole - (unit || 1)]
  })
  return near.map((value) => value + nth * (unit || 1)).find((value) => isWithin(value, form))
}

function isWithin(value: number, { min, max, above, below }: NumberForm): boolean {
  if ((min !== undefined && value < min) || (max !== undefined && value > max)) return false
  return (above === undefined || value > above) && (below === undefined || value < below)
}
