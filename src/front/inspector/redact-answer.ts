// Removes secrets from an answer of the inspector, in short slices.

import { inSlices } from '../../core/collections.ts'

type Redact = (text: string) => string

/** How many items of a list are checked together. A check of each short text would take much longer. */
const MAX_TOGETHER = 200

/** Returns an equal value if it contains no secret. An object and the lists in it are copied. */
export async function redactAnswer(value: unknown, redact: Redact): Promise<unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return redactValue(value, redact)
  const entries: [string, unknown][] = []
  for (const [key, item] of Object.entries(value)) {
    entries.push([key, Array.isArray(item) ? await redactList(item, redact) : redactValue(item, redact)])
  }
  return Object.fromEntries(entries)
}

async function redactList(items: readonly unknown[], redact: Redact): Promise<readonly unknown[]> {
  const redacted: unknown[] = []
  await inSlices(groupsOf(items), (group) => {
    for (const item of redactValue(group, redact) as readonly unknown[]) redacted.push(item) // a list stays a list
  })
  return redacted
}

function* groupsOf(items: readonly unknown[]): Generator<readonly unknown[]> {
  for (let at = 0; at < items.length; at += MAX_TOGETHER) yield items.slice(at, at + MAX_TOGETHER)
}

/** Returns the value itself if it contains no secret. */
function redactValue(value: unknown, redact: Redact): unknown {
  const texts: string[] = []
  collectTexts(value, texts)
  const together = texts.join('\n')
  return redact(together) === together ? value : redactTexts(value, redact)
}

function collectTexts(value: unknown, texts: string[]): void {
  if (typeof value === 'string') texts.push(value)
  else if (Array.isArray(value)) for (const item of value) collectTexts(item, texts)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      texts.push(key)
      collectTexts(item, texts)
    }
  }
}

function redactTexts(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map((item) => redactTexts(item, redact))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), redactTexts(item, redact)]))
}
