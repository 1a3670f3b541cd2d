// Removes invisible characters and terminal sequences from the texts of a server and its tools.

import { cleanText, cleanValue, countUnseen, escapeUnseen, type Removed, withChanged } from '../../core/clean-text.ts'
import { isRecord } from '../../core/is-record.ts'
import { cutLongText } from '../../core/text.ts'
import { modelMeta } from './pins/pin-record.ts'
import { MAPS_OF_SCHEMAS } from './tool-fields.ts'

/** The values of these keywords stay unchanged: choices, defaults, names, formats, and references to other schemas. */
const VALUES: ReadonlySet<string> = new Set([
  '$ref',
  '$id',
  '$schema',
  '$anchor',
  '$dynamicRef',
  '$dynamicAnchor',
  'const',
  'contentEncoding',
  'contentMediaType',
  'default',
  'dependentRequired',
  'enum',
  'format',
  'pattern',
  'required',
  'type',
])

const MAX_SHOWN_NAMES = 5

/**
 * Cleans the texts of a tool. Names and values stay unchanged, because the server must get them back. A warning shows
 * those with invisible characters.
 */
export function cleanTool<T extends { readonly name: string }>(tool: T): T & { readonly warnings?: readonly string[] } {
  const warnings: string[] = []
  const cleaned = collectRemoved(warnings)
  const flagged = new Set<string>()
  const changed = withChanged(tool, (value, key) => {
    switch (key) {
      case 'title':
      case 'description':
      case 'annotations':
        return cleaned(key, (removed) => cleanValue(value, removed))
      case 'inputSchema':
      case 'outputSchema': {
        const what = key === 'inputSchema' ? 'input schema' : 'output schema'
        return cleaned(what, (removed) => cleanSchema(value, removed, (name) => flagged.add(name)))
      }
      case '_meta': {
        const shown = modelMeta(value)
        const clean = cleaned('metadata', (removed) => cleanValue(shown, removed))
        return clean === shown ? value : { ...(isRecord(value) ? value : {}), ...(isRecord(clean) ? clean : {}) }
      }
      default:
        return value
    }
  })
  warnings.push(...lookAlikeWarnings(tool.name))
  if (countUnseen(tool.name) > 0) warnings.push(`its name contains invisible characters: ${quoteEscaped(tool.name)}`)
  if (flagged.size > 0) {
    const names = [...flagged].slice(0, MAX_SHOWN_NAMES).map(quoteEscaped).join(', ')
    warnings.push(`names or values in its schemas contain invisible characters: ${names}`)
  }
  return warnings.length === 0 ? changed : { ...changed, warnings }
}

/** The letters of scripts with Latin look-alikes. Letters of other scripts cause no warning. */
const LOOK_ALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/gu
/** The full-width forms of the Latin letters. They have other code points than the usual letters. */
const FULL_WIDTH = /[\uff21-\uff3a\uff41-\uff5a]/gu
const LATIN = /\p{Script=Latin}/u

export function lookAlikeWarnings(name: string): readonly string[] {
  const warnings: string[] = []
  const lookAlike = codesOf(name, LOOK_ALIKE)
  // A name without Latin letters is a word of another language.
  if (lookAlike !== '' && LATIN.test(name))
    warnings.push(`its name mixes Latin letters with letters of another script that look alike: ${lookAlike}`)
  const fullWidth = codesOf(name, FULL_WIDTH)
  if (fullWidth !== '')
    warnings.push(`its name contains full-width letters, which look like other letters: ${fullWidth}`)
  return warnings
}

/** The code points of the letters that match, such as `U+0435, U+0440`. Empty if there are none. */
function codesOf(name: string, letters: RegExp): string {
  const found = [...new Set(name.match(letters) ?? [])]
  return found.map((one) => `U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`).join(', ')
}

/** Cleans the texts in which a server describes itself. Returns a warning for each changed field. */
export function cleanAbout<T extends { readonly serverInfo?: object; readonly instructions?: string }>(
  about: T,
): { readonly about: T; readonly warnings: readonly string[] } {
  const warnings: string[] = []
  const cleaned = collectRemoved(warnings)
  const changed = withChanged(about, (value, key) => {
    if (key !== 'serverInfo' && key !== 'instructions') return value
    const what = key === 'serverInfo' ? 'name and title of the server' : 'instructions'
    return cleaned(what, (removed) => cleanValue(value, removed))
  })
  return { about: changed, warnings }
}

/** Adds a warning such as `12 invisible characters were removed from the description` if `clean` removes something. */
function collectRemoved(warnings: string[]) {
  return (what: string, clean: (removed: Removed) => unknown): unknown => {
    const removed: Removed = { invisible: 0, escapes: 0 }
    const result = clean(removed)
    const { invisible, escapes } = removed
    const counted = (count: number, noun: string) => (count === 0 ? [] : [`${count} ${noun}${count === 1 ? '' : 's'}`])
    const parts = [...counted(invisible, 'invisible character'), ...counted(escapes, 'terminal sequence')]
    const verb = invisible + escapes === 1 ? 'was' : 'were'
    if (parts.length > 0) warnings.push(`${parts.join(' and ')} ${verb} removed from the ${what}`)
    return result
  }
}

/** Cleans the texts of a schema. `onName` gets each name or value that contains invisible characters. */
function cleanSchema(schema: unknown, removed: Removed, onName: (name: string) => void): unknown {
  if (typeof schema === 'string') return cleanText(schema, removed)
  if (Array.isArray(schema)) {
    const items = schema.map((item) => cleanSchema(item, removed, onName))
    return items.every((item, at) => item === schema[at]) ? schema : items
  }
  if (!isRecord(schema)) return schema
  return withChanged(schema, (value, keyword): unknown => {
    if (VALUES.has(keyword)) {
      flagUnseen(value, onName)
      return value
    }
    if (!MAPS_OF_SCHEMAS.has(keyword) || !isRecord(value)) return cleanSchema(value, removed, onName)
    for (const name of Object.keys(value)) flagUnseen(name, onName)
    return withChanged(value, (inner) => cleanSchema(inner, removed, onName))
  })
}

function flagUnseen(value: unknown, onName: (name: string) => void): void {
  if (typeof value === 'string') {
    if (countUnseen(value) > 0) onName(value)
  } else if (Array.isArray(value)) for (const item of value) flagUnseen(item, onName)
  else if (isRecord(value)) {
    for (const [key, item] of Object.entries(value)) {
      flagUnseen(key, onName)
      flagUnseen(item, onName)
    }
  }
}

function quoteEscaped(name: string): string {
  return `'${cutLongText(escapeUnseen(name), 120)}'`
}
