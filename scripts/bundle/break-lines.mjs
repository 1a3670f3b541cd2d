// Breaks the lines of minified code. Node prints the whole line of an uncaught error, which would fill the terminal.

import { parseAst } from 'rolldown/parseAst'

/** A longer line is broken at the next place where it is possible. */
const LINE_CHARS = 1_000
/** A line always ends after a `throw`. It is also broken before the `throw` if it is this long there. */
const THROW_LINE_CHARS = 60

/** Lists in a syntax tree with commas between their items. A line break after a comma is safe. */
const ITEMS = ['elements', 'properties', 'expressions', 'declarations', 'arguments', 'params']

/** A plugin of the bundler that adds line breaks to every file with code. */
export const breakLines = {
  name: 'break-lines',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) if (chunk.type === 'chunk') chunk.code = withLineBreaks(chunk.code)
  },
}

/** Returns the same program with line breaks. */
function withLineBreaks(code) {
  const places = []
  collect(parseAst(code), places)
  let broken = ''
  let lineStart = 0
  for (const [place, maxChars] of places.toSorted(([a], [b]) => a - b)) {
    if (place - Math.max(lineStart, code.lastIndexOf('\n', place - 1) + 1) < maxChars) continue
    broken += `${code.slice(lineStart, place)}\n`
    lineStart = place
  }
  return broken + code.slice(lineStart)
}

/**
 * Adds pairs of a position and a length: if the line before the position has at least this length, a new line starts at
 * the position. The positions are those of statements, class members and list items. Node prints the line of a `throw`,
 * so that line is short.
 */
function collect(node, places) {
  if (Array.isArray(node)) {
    for (const one of node) collect(one, places)
    return
  }
  if (typeof node !== 'object' || node === null) return
  const { type } = node
  if (type === 'ThrowStatement') places.push([node.start, THROW_LINE_CHARS], [node.end, 0])
  if (type === 'TemplateLiteral') return collect(node.expressions, places)
  if (type === 'Program' || type === 'BlockStatement' || type === 'ClassBody') addAll(node.body, places)
  for (const name of ITEMS) if (Array.isArray(node[name])) addAll(node[name].slice(1), places)
  for (const value of Object.values(node)) if (typeof value === 'object') collect(value, places)
}

function addAll(nodes, places) {
  for (const node of nodes) if (node !== null) places.push([node.start, LINE_CHARS])
}
