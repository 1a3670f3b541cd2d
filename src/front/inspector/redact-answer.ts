// Removes secrets from an answer of the inspector, in short slices.

import { inSlices } from '../../core/in-slices.ts'

type Redact = (text: string) => string

/** Items of a list are checked together: a check of each short text would take much longer. */
const MAX_TOGETHER = 200

/** Returns the value itself if it contains no secret. */
export async function redactAnswer(value: unknown, redact: Redact): Promise<unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return redactOne(value, redact)
  const entries: [string, unknown][] = []
  for (const [key, item] of Object.entries(value)) {
    entries.push([key, Array.isArray(item) ? await redactList(item, redact) : redactOne(item, redact)])
  }
  return Object.fromEntries(entries)
}

async function redactList(items: readonly unknown[], redact: Redact): Promise<readonly unknown[]> {
  const redacted: unknown[] = []
  await inSlices(groupsOf(items), (group) => {
    for (const item of redactOne(group, redact) as readonly unknown[]) redacted.push(item) // a list stays a list
  })
  return redacted
}

function* groupsOf(items: readonly unknown[]): Generator<readonly unknown[]> {
  for (let at = 0; at < items.length; at += MAX_TOGETHER) yield items.slice(at, at + MAX_TOGETHER)
}

function redactOne(value: unknown, redact: Redact): unknown {
  const texts: string[] = []
  collect(value, texts)
  const together = texts.join('\n')
  return redact(together) === together ? value : mapped(value, redact)
}

function collect(value: unknown, texts: string[]): void {
  if (typeof value === 'string') texts.push(value)
  else if (Array.isArray(value)) for (const item of value) collect(item, texts)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      texts.push(key)
      collect(item, texts)
    }
  }
}

function mapped(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value)
  if (Array.isArray(value)) return value.map((item) => mapped(item, redact))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [redact(key), mapped(item, redact)]))
}
