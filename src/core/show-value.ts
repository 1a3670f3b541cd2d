// Shows a value in a few words, for error messages.

import { cutLongText } from './text.ts'

/** `'soon'`, `99999`, `null`, `nothing`, `an object`: enough to recognise the value, never its whole content. */
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

/** The type of a JSON value in one word: `null`, `array`, or as `typeof` says. */
export function typeNameOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}
