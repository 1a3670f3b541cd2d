// The pinned form of a tool as lines, to compare two forms. Invisible characters are shown as escapes.

import { escapeUnseen } from '../../../core/clean-text.ts'
import { type PinnedFields, readForm } from './tool-form.ts'

/** The name of each field, followed by the indented lines of its value. Empty for undefined. */
export function formLines(text: string | undefined): string {
  if (text === undefined) return ''
  const { title, description, annotations, inputSchema, outputSchema, metadata } = readForm(text)
  const blocks: [string, unknown][] = [
    ['title', title],
    ['description', description],
    ['annotations', annotations],
    ['input schema', inputSchema],
    ['output schema', outputSchema],
    ['metadata', metadata],
  ]
  return blocks.flatMap(([name, value]) => (value === undefined ? [] : [`${name}:`, ...valueLines(value)])).join('\n')
}

function valueLines(value: PinnedFields[keyof PinnedFields]): readonly string[] {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return text.split('\n').map((line) => `  ${escapeUnseen(line)}`)
}
