// Adds servers, rules and sources to our own config file, or creates one.

import type { RuleInput, ServerInput, SourceInput } from '../../config/config.ts'
import { kindOf } from '../../config/connection-kinds.ts'
import { formatOf, parseDocument } from '../../config/document.ts'
import type { ServerConfig, ToolRule } from '../../config/server-config.ts'
import { defined } from '../../core/defined.ts'
import { isRecord } from '../../core/is-record.ts'
import { changeJson, type JsonChange } from './write-json.ts'

interface Addition {
  readonly servers: readonly ServerConfig[]
  readonly rules: readonly ToolRule[]
  readonly sources: readonly SourceInput[]
}

/** Undefined if the file cannot be edited, because of its format or a syntax error. */
export async function addToConfig(text: string, file: string, addition: Addition): Promise<string | undefined> {
  const format = formatOf(file)
  if (format === undefined || format === 'toml') return undefined
  const parsed = await parseDocument(text, format, file)
  if (!parsed.ok || !isRecord(parsed.value)) return undefined
  const discovery = isRecord(parsed.value.discovery) ? parsed.value.discovery : {}
  const changes = changesFor(discovery, addition)
  return format === 'json' ? changeJson(text, changes) : changeYaml(text, changes)
}

/** A server in the format of our config. */
export function serverEntry({
  name: _name,
  writtenName: _written,
  origin: _origin,
  folderVariables: _folder,
  connection,
  enabled,
  ...about
}: ServerConfig): ServerInput {
  const { tools, ...rest } = about
  return {
    ...rest,
    ...defined({ tools: tools?.map((tool) => ({ ...tool })), enabled: enabled ? undefined : false }),
    ...kindOf(connection).entry(connection),
  }
}

export function ruleEntry({ pattern, server, enabled, tags, category }: ToolRule): RuleInput {
  return defined({ server, pattern: [...pattern], enabled, tags: tags && [...tags], category })
}

function changesFor(discovery: Readonly<Record<string, unknown>>, { servers, rules, sources }: Addition): JsonChange[] {
  const { servers: before, toolRules = [], sources: listed = [] } = discovery
  const added = Array.isArray(before)
    ? [
        {
          path: ['discovery', 'servers'],
          value: [...before, ...servers.map((one) => ({ name: one.name, ...serverEntry(one) }))],
        },
      ]
    : servers.map((one) => ({ path: ['discovery', 'servers', one.name], value: serverEntry(one) }))
  const appendTo = (key: string, old: unknown, more: readonly unknown[]): JsonChange[] =>
    more.length === 0 ? [] : [{ path: ['discovery', key], value: [...(Array.isArray(old) ? old : []), ...more] }]
  return [...added, ...appendTo('toolRules', toolRules, rules.map(ruleEntry)), ...appendTo('sources', listed, sources)]
}

interface YamlChange {
  readonly path: readonly (string | number)[]
  /** Undefined removes the value. */
  readonly value: unknown
}

export async function changeYaml(text: string, changes: readonly YamlChange[]): Promise<string | undefined> {
  const { parseDocument: parse } = await import('yaml')
  const byteOrderMark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const body = text.slice(byteOrderMark.length)
  // An empty text is parsed as `{}`: a document without content cannot be edited.
  const document = parse(body.trim() === '' ? '{}' : body, { prettyErrors: false, logLevel: 'silent' })
  if (document.errors.length > 0) return undefined
  try {
    for (const { path, value } of changes) {
      if (value === undefined) document.deleteIn(path)
      else document.setIn(path, document.createNode(value))
    }
  } catch {
    // The path leads through an alias. The change would also affect the entry that the alias points to.
    return undefined
  }
  const changed = document.toString({ lineWidth: 0, ...yamlLayout(body) })
  return `${byteOrderMark}${body.includes('\r\n') ? changed.replace(/\r?\n/g, '\r\n') : changed}`
}

/** The layout of the text, as options for the YAML writer. */
function yamlLayout(text: string): { indent: number; indentSeq: boolean; flowCollectionPadding: boolean } {
  const indent = /^( +)[^\s#-]/m.exec(text)?.[1]?.length ?? 2
  return {
    indent: Math.max(indent, 2),
    indentSeq: !/^( *)[^\s#-][^\n]*:[ \t]*\r?\n\1- /m.test(text),
    flowCollectionPadding: !/[{[](?=[^\s}\]])/.test(text),
  }
}
