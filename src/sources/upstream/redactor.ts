// Removes secrets and invisible characters from texts of a server: a single text, or all texts of a JSON value.

import { cleanText, cleanValue, withChanged } from '../../core/clean-text.ts'
import { getOrMake } from '../../core/collections.ts'
import { isRecord } from '../../core/is-record.ts'
import { MAPS_OF_SCHEMAS, NEEDED, PARTS } from './tool-fields.ts'

export type Redactor = ReturnType<typeof createRedactor>

export const REDACTED = '[redacted]'
/** A result can be nested deeper than the stack allows. Parts below this depth are replaced by `REDACTED`. */
const MAX_DEPTH = 500

/** The oldest learned secrets are forgotten: tokens are renewed again and again, and an old one is no longer valid. */
const MAX_LEARNED = 64

/** `listed` are the secrets that are removed from lists of tools, where a harmless value is likely to occur by chance. */
export function createRedactor(given: readonly string[], listed: readonly string[] = given) {
  let learned: readonly string[] = []
  let forms: readonly string[] = []
  let lineForms: readonly string[] = []
  let listForms: readonly string[] = []
  let bytes: readonly Buffer[] = []
  const prepare = () => {
    const secrets = [...given, ...learned]
    forms = secretForms(secrets)
    listForms = secretForms([...listed, ...learned])
    lineForms = forms.filter((form) => form.includes('\n'))
    bytes = secrets.map((secret) => Buffer.from(secret))
  }
  prepare()

  /** Removes the secrets from consecutive texts, even where a secret is split over several texts. */
  const redactJoined = (texts: readonly string[], separator: string, secrets: readonly string[]): readonly string[] => {
    const joined = texts.join(separator)
    const ranges = rangesOf(joined, secrets)
    return ranges.length === 0 ? texts : withoutRanges(texts, separator.length, ranges)
  }
  // A server often sends each line of a text as a block, so secrets with newlines are also searched in the blocks that
  // are joined by newlines.
  const redactTexts = (texts: readonly string[]) => redactJoined(redactJoined(texts, '', forms), '\n', lineForms)
  const redactText = (text: string, secrets = forms) => redactJoined([text], '', secrets)[0] ?? ''
  /** Redacts again after cleaning, because an invisible character may have been inside a secret. */
  const cleanAfter = <T>(redact: (value: T) => T, clean: (value: T) => T, value: T): T => {
    const redacted = redact(value)
    const cleaned = clean(redacted)
    return cleaned === redacted ? redacted : redact(cleaned)
  }
  const isLeak = (base64: string) => {
    const decoded = Buffer.from(base64, 'base64')
    return bytes.some((secret) => decoded.includes(secret))
  }

  const redactValue = (value: unknown): unknown => {
    if (forms.length === 0) return value
    const redacted = new Map([...textsIn(value)].map(([key, texts]) => [key, redactTexts(texts).values()]))
    return rebuild(value, {
      key: (key) => redactText(key),
      text: (_text, key) => redacted.get(key)?.next().value ?? '',
      number: (number) => (redactText(String(number)) === String(number) ? number : REDACTED),
      // The replacement is valid base64, because a client rejects other data.
      binary: (data) => (isLeak(data) ? Buffer.from(REDACTED).toString('base64') : data),
    })
  }

  /** Cleans the text only if an invisible character is inside a secret. Otherwise the list is cleaned later, with a warning. */
  const redactListed = (text: string) => {
    const redacted = redactText(text, listForms)
    const cleaned = cleanText(redacted)
    const again = cleaned === redacted ? cleaned : redactText(cleaned, listForms)
    return again === cleaned ? redacted : again
  }
  /** The content of a field that only describes. Its keys are texts too, such as those of an example. */
  const redactDescription = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return redactListed(value)
    if (typeof value === 'number') {
      const text = String(value)
      return redactText(text, listForms) === text ? value : REDACTED
    }
    if (typeof value !== 'object' || value === null) return value
    if (depth >= MAX_DEPTH) return REDACTED
    if (Array.isArray(value)) return value.map((item) => redactDescription(item, depth + 1))
    return withChangedEntries(value, (key, item) => [redactListed(key), redactDescription(item, depth + 1)])
  }
  /** A tool, a schema or a server, or a list of them. */
  const redactPart = (value: unknown, depth = 0): unknown => {
    if (typeof value !== 'object' || value === null || depth >= MAX_DEPTH) return redactDescription(value, depth)
    if (Array.isArray(value)) return value.map((item) => redactPart(item, depth + 1))
    return withChangedEntries(value, (key, item) => {
      if (NEEDED.has(key)) return [key, item]
      if (PARTS.has(key)) return [key, redactPart(item, depth + 1)]
      if (!MAPS_OF_SCHEMAS.has(key) || !isRecord(item)) return [redactListed(key), redactDescription(item, depth + 1)]
      // `dependencies` can also map a name to a list of names.
      return [key, withChanged(item, (schema) => (Array.isArray(schema) ? schema : redactPart(schema, depth + 2)))]
    })
  }

  return {
    text: (text: string) => cleanAfter((one) => redactText(one), cleanText, text),
    /** Adds secrets that were not known before, such as a renewed token. */
    learn(secrets: readonly string[]) {
      const newSecrets = secrets.filter((secret) => secret !== '' && !learned.includes(secret))
      if (newSecrets.length === 0) return
      learned = [...learned, ...newSecrets].slice(-MAX_LEARNED)
      prepare()
    },
    /** Returns a list of tools, or the description of a server, without secrets in the fields that calls do not need. */
    descriptions: <T>(value: T): T => (listForms.length === 0 ? value : (redactPart(value) as T)), // the same shape
    /**
     * Returns a JSON value without secrets and invisible characters. Secrets are searched in the joined texts under the
     * same key, because a secret can be split over blocks.
     */
    value: (value: unknown) => cleanAfter(redactValue, (one) => cleanValue(one), value),
  }
}

/** A copy with changed keys and values, or the same object if nothing changes: most objects contain no secret. */
function withChangedEntries(
  from: object,
  change: (key: string, item: unknown) => readonly [key: string, item: unknown],
): object {
  let isSame = true
  const entries = Object.entries(from).map(([key, item]) => {
    const next = change(key, item)
    if (next[0] !== key || next[1] !== item) isSame = false
    return next
  })
  return isSame ? from : Object.fromEntries(entries)
}

interface Replacements {
  key(key: string): string
  text(text: string, key: string): string
  number(number: number): unknown
  binary(data: string): string
}

/** The texts of a value by their key, in the order in which `rebuild` visits them. */
function textsIn(value: unknown): ReadonlyMap<string, readonly string[]> {
  const textsByKey = new Map<string, string[]>()
  const keep = (text: string, key: string) => {
    getOrMake(textsByKey, key, (): string[] => []).push(text)
    return text
  }
  rebuild(value, { key: (key) => key, text: keep, number: (number) => number, binary: (data) => data })
  return textsByKey
}

/** Copies a JSON value with replaced parts. `key` is the key of the value, and for list items that of the list. */
function rebuild(value: unknown, replacements: Replacements, key = '', depth = 0): unknown {
  if (typeof value === 'string') return replacements.text(value, key)
  if (typeof value === 'number') return replacements.number(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === MAX_DEPTH) return REDACTED
  if (Array.isArray(value)) return value.map((item) => rebuild(item, replacements, key, depth + 1))
  const isMedia = isRecord(value) && (value.type === 'image' || value.type === 'audio')
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const isBinary = name === 'blob' || (name === 'data' && isMedia)
      const replaced =
        isBinary && typeof item === 'string' ? replacements.binary(item) : rebuild(item, replacements, name, depth + 1)
      return [replacements.key(name), replaced]
    }),
  )
}

type Range = readonly [start: number, end: number]

/** The ranges in which any of the forms occurs. Overlapping ranges are merged. */
function rangesOf(text: string, forms: readonly string[]): readonly Range[] {
  const found: Range[] = []
  for (const form of forms) {
    for (let at = text.indexOf(form); at >= 0; at = text.indexOf(form, at + form.length)) {
      found.push([at, at + form.length])
    }
  }
  const merged: Range[] = []
  for (const range of found.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1)
    if (last === undefined || range[0] >= last[1]) merged.push(range)
    else merged[merged.length - 1] = [last[0], Math.max(last[1], range[1])]
  }
  return merged
}

/** Removes the ranges from consecutive texts. `REDACTED` is put where a range starts. */
function withoutRanges(texts: readonly string[], gap: number, ranges: readonly Range[]): readonly string[] {
  let offset = 0
  let first = 0
  return texts.map((text) => {
    const [start, end] = [offset, offset + text.length]
    offset = end + gap
    let kept = ''
    let at = start
    // The ranges are sorted: skip those that end before this text.
    while ((ranges[first]?.[1] ?? Number.POSITIVE_INFINITY) <= start) first++
    for (let index = first; index < ranges.length; index++) {
      const [from, to] = ranges[index] ?? [end, end]
      if (from >= end) break
      kept += text.slice(Math.max(0, at - start), Math.max(0, from - start)) + (from >= start ? REDACTED : '')
      at = Math.min(to, end)
    }
    return kept + text.slice(at - start)
  })
}

/** A shorter base64 text can occur by chance. */
const MIN_BASE64_CHARS = 8

/** The forms in which a secret can occur in a text, without duplicates: plain, or encoded as JSON, URL or base64. */
function secretForms(secrets: readonly string[]): readonly string[] {
  return [
    ...new Set(secrets.flatMap((secret) => [secret, ...inJson(secret), ...inAddress(secret), ...inBase64(secret)])),
  ]
}

/** Returns the forms of a secret in a JSON string, escaped once or twice: an error often contains JSON inside JSON. */
function inJson(secret: string): readonly string[] {
  const plain = escaped(secret)
  const once = [
    plain,
    plain.replace(/[^ -~]/g, unicodeEscape),
    plain.replaceAll('/', '\\/'),
    // Used by the encoders of Go and of web frameworks for texts in HTML pages.
    plain.replace(/[&<>\u2028\u2029]/g, unicodeEscape),
    plain.replace(/[&<>'=+\u2028\u2029]/g, unicodeEscape),
  ]
  return [...once, ...once.map(escaped)]
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function unicodeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function inAddress(secret: string): readonly string[] {
  const usual = encodeURIComponent(Buffer.from(secret).toString())
  const strict = usual.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  const forms = [usual, strict, strict.replaceAll('%20', '+')]
  return [...forms, ...forms.map((form) => form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))]
}

/** Inside a longer encoded text, the base64 form depends on the number of preceding bytes, modulo 3. */
function inBase64(secret: string): readonly string[] {
  const bytes = Buffer.from(secret)
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    // Leaves out the characters that also contain bits of the bytes before or after the secret.
    const own = encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
    return own.length < MIN_BASE64_CHARS ? [] : [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
