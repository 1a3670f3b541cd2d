// A value in a few words, for a sentence that says what was found.

import { cutLongText } from './text.ts'

/** `'soon'`, `99999`, `null`, `nothing`, `an object`: enough to recognise it by, never all of it. */
export function showValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `'${cutLongText(value, 80)}'`
    case 'undefined':
      return 'nothing'
    case 'object':
      return value === null ? 'null' : Array.isArray(value) ? 'an array' : 'an object'
    case 'function':
      return 'a function'
    case 'bigint':
      return `${cutLongText(String(value), 80)}n`
    default:
      return String(value)
  }
}
