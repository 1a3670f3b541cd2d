// How each client writes a server into its own file: where, in which shape, and which servers give way to it.

import { parseDocument } from './document.ts'
import { findKey } from './entries.ts'
import { isRecord } from './problem.ts'
import { changeJson } from './write-json.ts'
import { changeToml, tomlTables } from './write-toml.ts'

/** How a client starts the gateway. */
export interface Launch {
  readonly command: string
  readonly args: readonly string[]
}

export interface ClientWriter {
  readonly format: 'json' | 'toml'
  /** The keys that lead to the servers, in a document that may have none yet. */
  section(document: Readonly<Record<string, unknown>>): readonly string[]
  entry(launch: Launch): Readonly<Record<string, unknown>>
}

/** The name of our entry. */
export const OWN_NAME = 'toolcrib'

const plainEntry = ({ command, args }: Launch) => ({ command, args })
const typedEntry = ({ command, args }: Launch) => ({ type: 'stdio', command, args })
const under = (name: string) => (document: Readonly<Record<string, unknown>>) => [findKey(document, name) ?? name]
const mcpServers = under('mcpServers')

export const clientWriters: ReadonlyMap<string, ClientWriter> = new Map<string, ClientWriter>([
  ['claude-desktop', { format: 'json', section: mcpServers, entry: plainEntry }],
  ['claude-code', { format: 'json', section: mcpServers, entry: typedEntry }],
  ['cursor', { format: 'json', section: mcpServers, entry: plainEntry }],
  [
    'vscode',
    {
      format: 'json',
      // Older versions keep it in their settings.
      section: (document) => (isRecord(document.mcp) ? ['mcp', 'servers'] : under('servers')(document)),
      entry: typedEntry,
    },
  ],
  [
    'copilot',
    {
      format: 'json',
      section: mcpServers,
      entry: ({ command, args }) => ({ type: 'local', command, args, tools: ['*'] }),
    },
  ],
  ['windsurf', { format: 'json', section: mcpServers, entry: plainEntry }],
  ['codex', { format: 'toml', section: () => ['mcp_servers'], entry: plainEntry }],
  ['gemini', { format: 'json', section: mcpServers, entry: plainEntry }],
  [
    'zed',
    {
      format: 'json',
      section: under('context_servers'),
      entry: ({ command, args }) => ({ source: 'custom', command, args, env: {} }),
    },
  ],
  [
    'opencode',
    {
      format: 'json',
      section: under('mcp'),
      entry: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
    },
  ],
  ['docker-mcp', { format: 'json', section: mcpServers, entry: plainEntry }],
])

export interface ClientDocument {
  readonly text: string
  readonly path: readonly string[]
  readonly entries: Readonly<Record<string, unknown>>
}

/** Undefined where the text makes no sense. */
export async function openClient(
  writer: ClientWriter,
  text: string,
  file: string,
): Promise<ClientDocument | undefined> {
  const parsed = await parseDocument(text, writer.format, file)
  if (!parsed.ok || !isRecord(parsed.value)) return undefined
  const path = writer.section(parsed.value)
  let at: unknown = parsed.value
  for (const key of path) at = isRecord(at) ? at[key] : undefined
  return { text, path, entries: isRecord(at) ? at : {} }
}

/** Our entry in place of these. Undefined where that cannot be done without harm to the rest. */
export function putInPlace(
  writer: ClientWriter,
  document: ClientDocument,
  remove: readonly string[],
  launch: Launch,
): Promise<string | undefined> {
  const { text, path } = document
  const entry = writer.entry(launch)
  if (writer.format === 'toml') {
    const add = { [OWN_NAME]: tomlTable(path[0] ?? '', entry) }
    return changeToml(text, { section: path[0] ?? '', remove, add })
  }
  // First what is new: taking away the first of several would pull up the next.
  return changeJson(text, [
    { path: [...path, OWN_NAME], value: entry, isFirst: true },
    ...remove.map((name) => ({ path: [...path, name], value: undefined })),
  ])
}

/** Our entry away, and those of `from` back that are not there. */
export function takeBack(
  writer: ClientWriter,
  document: ClientDocument,
  from: ClientDocument | undefined,
): Promise<string | undefined> {
  const { text, path, entries } = document
  const back = Object.entries(from?.entries ?? {}).filter(
    ([name]) => name !== OWN_NAME && !Object.hasOwn(entries, name),
  )
  if (writer.format === 'toml') {
    const section = path[0] ?? ''
    const names = back.map(([name]) => name)
    return changeToml(text, { section, remove: [OWN_NAME], add: tomlTables(from?.text ?? '', section, names) })
  }
  return changeJson(text, [
    ...back.map(([name, value]) => ({ path: [...path, name], value })),
    { path: [...path, OWN_NAME], value: undefined },
  ])
}

function tomlTable(section: string, entry: Readonly<Record<string, unknown>>): string {
  // Strings and lists of strings: JSON and TOML write them alike.
  const lines = Object.entries(entry).map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
  return [`[${section}.${OWN_NAME}]`, ...lines].join('\n')
}
