// Changes single values in a JSON text with comments, and keeps the rest of the text.

import { isDeepStrictEqual } from 'node:util'
import type { Node, ParseError } from 'jsonc-parser'
import { groupBy } from '../../core/collections.ts'
import { isRecord } from '../../core/is-record.ts'
import { type Additions, type Edit, editObject, layoutOf, renderValue } from './write-json-edits.ts'

export interface JsonChange {
  readonly path: readonly string[]
  /** Undefined removes the value. */
  readonly value: unknown
  /** Adds the property before the existing ones. */
  readonly isFirst?: boolean
}

/** Applies the changes, and parses the result to check it. Undefined if the text cannot be changed safely. */
export async function changeJson(text: string, changes: readonly JsonChange[]): Promise<string | undefined> {
  const { getNodeValue, parseTree } = await import('jsonc-parser')
  const options = { allowTrailingComma: true }
  const byteOrderMark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const body = text.slice(byteOrderMark.length)
  const start = /^\s*(?:null\s*)?$/.test(body) ? '{\n}\n' : body
  const root = parseTree(start, [], options)
  if (root?.type !== 'object') return undefined
  const edits = editsFor(start, root, changes)
  if (edits === undefined) return undefined
  const changed = applyEdits(start, edits)
  // The compared objects have no prototypes, because a key may be called `__proto__`.
  const expected: Record<string, unknown> = getNodeValue(root)
  for (const { path, value } of changes) setValue(expected, path, withoutPrototypes(value))
  const errors: ParseError[] = []
  const result = parseTree(changed, errors, options)
  const isRight = errors.length === 0 && result !== undefined && isDeepStrictEqual(getNodeValue(result), expected)
  return isRight ? `${byteOrderMark}${changed}` : undefined
}

/**
 * Computes all edits as positions in the original text. Undefined if a path leads through a value that is not a plain
 * object, or through an object in which a key occurs twice.
 */
function editsFor(text: string, root: Node, changes: readonly JsonChange[]): readonly Edit[] | undefined {
  const layout = layoutOf(text, root)
  const edits: Edit[] = []
  const visit = (node: Node, inside: readonly JsonChange[], depth: number): boolean => {
    const properties = new Map((node.children ?? []).map((one) => [String(one.children?.[0]?.value), one]))
    // If a key occurs twice, parsers disagree which value counts.
    if (properties.size < (node.children ?? []).length) return false
    const removed = new Set<Node>()
    const added: Additions = { first: [], last: [] }
    for (const [key, group] of groupBy(inside, ({ path }) => path[depth] ?? '')) {
      const property = properties.get(key)
      const value = property?.children?.[1]
      // A change of the value itself. The other changes of the group are inside the value.
      const whole = group.findLast(({ path }) => path.length === depth + 1)
      if (property === undefined || value === undefined) {
        const fresh = freshValue(group, depth + 1)
        if (fresh !== undefined) (group.some(({ isFirst }) => isFirst) ? added.first : added.last).push([key, fresh])
      } else if (whole !== undefined) {
        if (whole.value === undefined) removed.add(property)
        else {
          const { offset, length } = value
          edits.push({ offset, length, content: renderValue(text, property, whole.value, layout) })
        }
      } else if (value.type !== 'object' || !visit(value, group, depth + 1)) return false
    }
    edits.push(...editObject(text, node, { removed, added }, layout))
    return true
  }
  return visit(root, changes, 0) ? edits : undefined
}

/** The value of a new key: all changes inside it together. Undefined if they only remove. */
function freshValue(changes: readonly JsonChange[], depth: number): unknown {
  const holder: Record<string, unknown> = Object.create(null)
  for (const { path, value } of changes) {
    if (value !== undefined) setValue(holder, ['value', ...path.slice(depth)], value)
  }
  return holder.value
}

export function applyEdits(text: string, edits: readonly Edit[]): string {
  const parts: string[] = []
  let at = 0
  // At the same position, insertions come before removals.
  for (const { offset, length, content } of edits.toSorted((a, b) => a.offset - b.offset || a.length - b.length)) {
    parts.push(text.slice(at, offset), content)
    at = Math.max(at, offset + length)
  }
  return [...parts, text.slice(at)].join('')
}

/** Removes prototypes, so that the value can be compared with the result of `getNodeValue`. */
function withoutPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypes)
  if (!isRecord(value)) return value
  return Object.assign(
    Object.create(null),
    Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutPrototypes(one)])),
  )
}

/** Changes the document itself: one copy per change would take quadratic time. */
function setValue(document: Record<string, unknown>, [key, ...rest]: readonly string[], value: unknown): void {
  if (key === undefined) return
  if (rest.length > 0) {
    if (!Object.hasOwn(document, key) && value !== undefined) document[key] = Object.create(null)
    const inner = document[key]
    if (isRecord(inner)) setValue(inner, rest, value)
  } else if (value === undefined) delete document[key]
  else document[key] = value
}
