// Computes the edits of a JSON object in its text, so that new parts have the layout of the existing text.

import type { Node } from 'jsonc-parser'

export interface Edit {
  readonly offset: number
  readonly length: number
  readonly content: string
}

type Property = readonly [key: string, value: unknown]

/** The new properties of an object: before the existing ones, and after them. */
export interface Additions {
  readonly first: Property[]
  readonly last: Property[]
}

interface ObjectChange {
  /** The properties to remove from the object. */
  readonly removed: ReadonlySet<Node>
  readonly added: Additions
}

/** The layout of the whole text. */
interface JsonLayout {
  readonly eol: string
  /** One level of indentation. */
  readonly indentUnit: string
  /** Whether the text is on one line. Additions are then on that line too. */
  readonly isOneLine: boolean
  /** Whether there are blanks after colons and commas. Used only for text that is written on one line. */
  readonly isSpaced: boolean
}

export function layoutOf(text: string, root: Node): JsonLayout {
  const [first] = root.children ?? []
  const after = first?.colonOffset === undefined ? ' ' : text[first.colonOffset + 1]
  return {
    eol: text.includes('\r\n') ? '\r\n' : '\n',
    indentUnit: /^\t/m.test(text) ? '\t' : (/^( +)\S/m.exec(text)?.[1] ?? '  '),
    isOneLine: first !== undefined && !text.trim().includes('\n'),
    isSpaced: after === ' ',
  }
}

/** Renders a new value for this property. */
export function renderValue(text: string, { offset }: Node, value: unknown, layout: JsonLayout): string {
  return isFirstOfLine(text, offset)
    ? renderOnLines(value, lineIndent(text, offset), layout)
    : renderInline(value, layout)
}

/** Removes and adds properties of one object, and corrects the commas between the properties. */
export function editObject(
  text: string,
  node: Node,
  { removed, added }: ObjectChange,
  layout: JsonLayout,
): readonly Edit[] {
  const properties = node.children ?? []
  const kept = properties.filter((one) => !removed.has(one))
  const commas = new Map(properties.map((one, at) => [one, commaAfter(text, one, properties[at + 1] ?? node)]))
  const edits = [...removed].flatMap((one) => removal(text, one, commas.get(one)))
  const last = kept.at(-1)
  const comma = last === undefined ? undefined : commas.get(last)
  if (last !== undefined && added.last.length > 0 && comma === undefined) {
    edits.push({ offset: last.offset + last.length, length: 0, content: ',' })
  }
  // If the last property had no comma after it, the new last property has none either.
  const hadNoTrailingComma = properties.length > 0 && commas.get(properties.at(-1) ?? node) === undefined
  if (comma !== undefined && added.last.length === 0 && hadNoTrailingComma) {
    const next = blanksAfter(text, comma + 1)
    edits.push(deletion(comma, text[next] === '"' ? next : comma + 1))
  }
  return [...edits, ...insertions(text, node, kept.length > 0, added, layout)]
}

function insertions(
  text: string,
  node: Node,
  hasKept: boolean,
  { first, last }: Additions,
  layout: JsonLayout,
): readonly Edit[] {
  const isSpread = isOnLines(text, node, layout)
  const indent = isSpread ? indentIn(text, node, layout) : ''
  const lead = isSpread ? `${layout.eol}${indent}` : ''
  const gap = isSpread || !layout.isSpaced ? '' : ' '
  const renderProperty = ([key, value]: Property) => {
    const rendered = isSpread ? renderOnLines(value, indent, layout) : renderInline(value, layout)
    return `${lead}${JSON.stringify(key)}:${isSpread || layout.isSpaced ? ' ' : ''}${rendered}`
  }
  const renderAll = (all: readonly Property[]) => all.map(renderProperty).join(`,${gap}`)
  // In an empty object, the start and the end are the same position.
  if (!hasKept) return insertAtEnd(text, node, renderAll([...first, ...last]), '', isSpread, layout)
  const atStart = { offset: startOf(text, node, isSpread), length: 0, content: `${renderAll(first)},${gap}` }
  return [...(first.length === 0 ? [] : [atStart]), ...insertAtEnd(text, node, renderAll(last), gap, isSpread, layout)]
}

function insertAtEnd(
  text: string,
  node: Node,
  content: string,
  gap: string,
  isSpread: boolean,
  layout: JsonLayout,
): readonly Edit[] {
  if (content === '') return []
  const close = node.offset + node.length - 1
  const offset = node.offset + 1 + text.slice(node.offset + 1, close).trimEnd().length
  const isClosedOnSameLine = isSpread && !text.slice(offset, close).includes('\n')
  // Moves the closing brace to a line of its own.
  const tail = isClosedOnSameLine ? `${layout.eol}${lineIndent(text, node.offset)}` : ''
  return [{ offset, length: 0, content: `${gap}${content}${tail}` }]
}

/** The position for a new first property: after the opening brace and a line comment that follows the brace. */
function startOf(text: string, node: Node, isSpread: boolean): number {
  const start = node.offset + 1
  if (!isSpread) return start
  const line = /[^\r\n]*/.exec(text.slice(start, node.children?.[0]?.offset))?.[0] ?? ''
  return /^[ \t]*\/\//.test(line) ? start + line.length : start
}

/** Removes the property and its comma, and the whole line if nothing else is on it. */
function removal(text: string, { offset, length }: Node, comma: number | undefined): readonly Edit[] {
  const end = offset + length
  const isCommaNext = comma !== undefined && text.slice(end, comma).trim() === ''
  const until = isCommaNext ? comma + 1 : end
  const commaEdits = comma === undefined || isCommaNext ? [] : [deletion(comma, comma + 1)]
  const [from, to] = [blanksBefore(text, offset), blanksAfter(text, until)]
  const isAloneOnLine = text[from - 1] === '\n' && (to === text.length || /[\r\n]/.test(text[to] ?? ''))
  if (isAloneOnLine) return [deletion(from - (text[from - 2] === '\r' ? 2 : 1), to), ...commaEdits]
  return isCommaNext ? [deletion(offset, to)] : [deletion(from, until), ...commaEdits]
}

function deletion(from: number, to: number): Edit {
  return { offset: from, length: to - from, content: '' }
}

/** The position of the comma after a property. `next` is the next property, or the object itself after the last one. */
function commaAfter(text: string, property: Node, next: Node): number | undefined {
  const start = property.offset + property.length
  const end = next.offset > start ? next.offset : next.offset + next.length - 1
  const between = text
    .slice(start, end)
    .replace(/\/\/[^\r\n]*|\/\*[\s\S]*?\*\//g, (comment) => ' '.repeat(comment.length))
  const at = between.indexOf(',')
  return at < 0 ? undefined : start + at
}

/** Whether the properties of the object are on lines of their own. */
function isOnLines(text: string, { offset, length, children = [] }: Node, { isOneLine }: JsonLayout): boolean {
  const [first] = children
  if (first === undefined) return !isOneLine
  const last = children.at(-1) ?? first
  const around = text.slice(offset, first.offset) + text.slice(last.offset + last.length, offset + length)
  return around.includes('\n')
}

/** The indentation of the properties of the object. */
function indentIn(text: string, node: Node, { indentUnit }: JsonLayout): string {
  const own = (node.children ?? []).find(({ offset }) => isFirstOfLine(text, offset))
  if (own !== undefined) return text.slice(blanksBefore(text, own.offset), own.offset)
  return `${lineIndent(text, node.offset)}${indentUnit}`
}

/** The indentation of the line that contains the offset. */
function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return text.slice(start, blanksAfter(text, start))
}

function isFirstOfLine(text: string, offset: number): boolean {
  return text[blanksBefore(text, offset) - 1] === '\n'
}

/** The offset of the first of the blanks before this offset. */
function blanksBefore(text: string, offset: number): number {
  let at = offset
  while (text[at - 1] === ' ' || text[at - 1] === '\t') at--
  return at
}

/** The offset after the blanks that start at this offset. */
function blanksAfter(text: string, offset: number): number {
  let at = offset
  while (text[at] === ' ' || text[at] === '\t') at++
  return at
}

function renderOnLines(value: unknown, indent: string, { eol, indentUnit }: JsonLayout): string {
  return JSON.stringify(value, null, indentUnit).split('\n').join(`${eol}${indent}`)
}

function renderInline(value: unknown, { isSpaced }: JsonLayout): string {
  if (!isSpaced) return JSON.stringify(value)
  // A JSON string contains no line break, so all line breaks are between values.
  return JSON.stringify(value, null, 1)
    .replace(/(?<=[{[])\n\s*|\n\s*(?=[}\]])/g, '')
    .replace(/\n\s*/g, ' ')
}
