// The advice for a config that Toolcrib cannot edit: the change to make by hand, in the notation of the file.

import { formatOf, parseDocument } from '../config/document.ts'
import { isModule } from '../config/load-module.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { isRecord } from '../core/is-record.ts'
import { type Addition, ruleEntry, type ServerEdit, serverEntry } from './files/write-config.ts'

/** Why a config cannot be edited. */
export function whyNotEdited(file: string): string {
  if (formatOf(file) === 'toml') return 'Toolcrib does not edit TOML'
  return isModule(file) ? 'Toolcrib does not edit code' : 'Toolcrib cannot edit this file safely'
}

/** `text` is the current text of the config. */
export async function serversByHand(file: string, text: string, servers: readonly ServerConfig[]): Promise<string> {
  const toml = await tomlToAppend(file, text, { servers, rules: [], sources: [] })
  if (toml !== undefined) return toml
  const entries = servers.map((server) => {
    const entry = serverEntry(server)
    return formatOf(file) === 'toml'
      ? `${tomlKey(server.name)} = ${tomlValue(entry)}`
      : `${JSON.stringify(server.name)}: ${JSON.stringify(entry)}`
  })
  return `Add this to \`discovery.servers\` by hand: ${entries.join(', ')}`
}

const BY_IMPORT = 'Add the servers to `discovery.servers` by hand: `toolcrib import --json` prints them.'

/** `text` is the current text of the config. */
export async function additionByHand(file: string, text: string, addition: Addition): Promise<string> {
  const toml = await tomlToAppend(file, text, addition)
  if (toml !== undefined) return toml
  const { servers, rules, sources } = addition
  const texts = sources.map((source) => `\`${valueByHand(file, source)}\``)
  return [
    ...(servers.length + rules.length === 0 ? [] : [BY_IMPORT]),
    ...(texts.length === 0 ? [] : [`Add ${texts.join(' and ')} to \`discovery.sources\` by hand.`]),
  ].join(' ')
}

/** A value in the notation of the config. */
export function valueByHand(file: string, value: object): string {
  return formatOf(file) === 'toml' ? tomlValue(value) : JSON.stringify(value)
}

/** `path` is the path of the server in the file, such as `discovery.servers.a` or `discovery.servers[0]`. */
export function editByHand(file: string, name: string, edit: ServerEdit, path = ''): string {
  if (formatOf(file) !== 'toml') {
    return {
      remove: `Remove '${name}' from \`discovery.servers\` by hand.`,
      enable: `Remove \`enabled: false\` or \`disabled: true\` from the entry of '${name}' by hand.`,
      disable: `Add \`enabled: false\` to the entry of '${name}' by hand.`,
    }[edit]
  }
  const table =
    path.endsWith(']') && !path.endsWith('"]')
      ? `the table \`[[discovery.servers]]\` with \`name = ${tomlValue(name)}\``
      : `the table \`[discovery.servers.${tomlKey(name)}]\``
  return {
    remove: `Remove ${table} by hand.`,
    enable: `Remove \`enabled = false\` or \`disabled = true\` from ${table} by hand.`,
    disable: `Set \`enabled = false\` in ${table} by hand.`,
  }[edit]
}

/** Advice with tables for the end of the file. Undefined if the file is not TOML, or not valid with these tables. */
async function tomlToAppend(
  file: string,
  text: string,
  { servers, rules, sources }: Addition,
): Promise<string | undefined> {
  if (formatOf(file) !== 'toml') return undefined
  const parsed = await parseDocument(text, 'toml', file)
  const discovery = parsed.ok && isRecord(parsed.value) ? parsed.value.discovery : undefined
  const isList = isRecord(discovery) && Array.isArray(discovery.servers)
  const added = [
    ...servers.map((one) =>
      isList
        ? tomlTable('[[discovery.servers]]', { name: one.name, ...serverEntry(one) })
        : tomlTable(`[discovery.servers.${tomlKey(one.name)}]`, serverEntry(one)),
    ),
    ...rules.map((rule) => tomlTable('[[discovery.toolRules]]', ruleEntry(rule))),
    ...sources.map((source) => tomlTable('[[discovery.sources]]', source)),
  ].join('\n\n')
  const changed = await parseDocument(`${text}\n${added}\n`, 'toml', file)
  return changed.ok ? `Add this at the end of the file by hand:\n${added}` : undefined
}

function tomlTable(header: string, fields: object): string {
  return [header, ...fieldsOf(fields)].join('\n')
}

function fieldsOf(fields: object): readonly string[] {
  return Object.entries(fields).flatMap(([key, value]) =>
    value == null ? [] : [`${tomlKey(key)} = ${tomlValue(value)}`],
  )
}

function tomlKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : tomlValue(key)
}

/** A value on one line. For strings, numbers and booleans, JSON and TOML have the same notation. */
function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(', ')}]`
  if (isRecord(value)) {
    const fields = fieldsOf(value)
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
  }
  // JSON does not escape this control character, which TOML refuses.
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f')
}
