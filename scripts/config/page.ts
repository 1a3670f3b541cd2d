// docs/configuration.md: every key of a config with its type, default, meaning and example.

import { type ConfigKey, configKeys, type SchemaNode } from './json-schema.ts'
import { SERVER } from './texts.ts'

/** The sections of the page. A key is in the section with the longest path that the key starts with. */
const SECTIONS: readonly (readonly [path: string, title: string, about: string])[] = [
  ['', 'Top level', ''],
  ['http', 'http', ''],
  ['audit', 'audit', ''],
  ['limits', 'limits', ''],
  ['discovery', 'discovery', ''],
  ['discovery.sources[]', 'discovery.sources', 'Each entry of the list has these keys.'],
  [
    'discovery.toolRules[]',
    'discovery.toolRules',
    'Each entry of the list has these keys, at least `pattern` or `server`. See [Rules](gateway.md#rules).',
  ],
  [
    SERVER,
    'discovery.servers',
    'Each server has these keys. Those of the connection (`type`, `command`, `args`, `env`, `envFile`, `cwd`, `inheritEnv`, `allowEnv`, `url`, `headers`, `auth`) can also be inside `connection`. A key may be written with dashes or underscores, as in `server_url`. [References](gateway.md#configuration) to variables work in all texts of a connection.',
  ],
  [`${SERVER}.tools[]`, 'discovery.servers: tools', 'Each tool has these keys.'],
]

const HEAD = `# Configuration

This page lists every key of a config. [gateway.md](gateway.md#configuration) explains where the file is and how it is used.
\`toolcrib config init\` writes a starter file, and \`toolcrib config validate\` checks a file.
<!-- \`npm run docs\` writes this page from the schema of a config and scripts/config/texts.ts. Do not edit it. -->

## Editors

The package contains a JSON Schema. With this line in a JSON config, VS Code and other editors complete and check its keys:

\`\`\`json
{
  "$schema": "./node_modules/toolcrib/schema/config.schema.json"
}
\`\`\`

The path is relative to the config. If Toolcrib is installed globally, write the whole path:
\`"file:///usr/local/lib/node_modules/toolcrib/schema/config.schema.json"\` (\`npm root -g\` prints the folder). In YAML, the first
line is \`# yaml-language-server: $schema=PATH\`. In TypeScript, \`defineConfig\` from \`toolcrib\` does the same.
Keys that end in \`Ms\` are times in milliseconds. In paths (\`cwd\`, \`envFile\`, \`path\`, \`audit.file\`, \`http.tls\`), \`~\` is
the home folder, and a relative path starts at the folder of the config (if that is \`.toolcrib/\`, at the folder above it).
The \`path\` of a source is first looked up in \`.toolcrib/\` itself.

A config in TypeScript or JavaScript can also have \`plugins\`: your own strategies, rankers, sources, stores and importers
([extending](extending/strategy.md)).

## Example

\`\`\`jsonc
{
  // Servers get the variables of the gateway that match, besides a few that every program needs.
  "inheritEnv": ["*_PROXY", "AWS_*"],
  "discovery": {
    "servers": {
      "github": {
        "description": "Issues and pull requests",
        "command": "npx",
        "args": ["-y", "github-mcp"],
        "env": { "TOKEN": "\${GITHUB_TOKEN}" }
      },
      "docs": { "url": "https://mcp.example.com/mcp", "headers": { "Authorization": "Bearer \${DOCS_TOKEN}" } }
    },
    "sources": [{ "type": "cursor" }],
    "toolRules": [{ "pattern": ["*delete*"], "enabled": false }]
  },
  "limits": { "callTimeoutMs": 120000 }
}
\`\`\`
`

export function configPage(): string {
  const keys = configKeys()
  const sections = SECTIONS.map(([path, title, about]) => {
    const own = keys.filter((key) => sectionOf(key.path) === path && !isGroup(key))
    const group = keys.find((key) => key.path === path && isGroup(key))
    const text = [group?.text.text ?? '', about].filter((one) => one !== '').join(' ')
    return [`## ${title}`, ...(text === '' ? [] : ['', text]), '', ...table(own, path)].join('\n')
  })
  return `${HEAD}\n${sections.join('\n\n')}\n`
}

/** True for an object with keys of its own and without an example. It has no row, because each of its keys has one. */
export function isGroup({ node, text }: ConfigKey): boolean {
  return node.properties !== undefined && text.example === undefined
}

function sectionOf(path: string): string | undefined {
  const fitting = SECTIONS.filter(([start]) => start === '' || path.startsWith(`${start}.`))
  return fitting.toSorted(([a], [b]) => b.length - a.length)[0]?.[0]
}

function table(keys: readonly ConfigKey[], section: string): readonly string[] {
  const rows = keys.map(({ path, node, text }) => {
    const name = section === '' ? path : path.slice(section.length + 1)
    const cells = [
      code(name),
      typeOf(node),
      defaultOf(node, text.default),
      text.text,
      code(JSON.stringify(text.example)),
    ]
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  })
  return ['| key | type | default | meaning | example |', '|---|---|---|---|---|', ...rows]
}

function code(text: string): string {
  return `\`${text}\``
}

function defaultOf(node: SchemaNode, stated: unknown): string {
  if (typeof stated === 'string') return stated
  const value = stated ?? node.default
  return value === undefined ? '' : code(JSON.stringify(value))
}

/** The type of a key in words, such as `list of strings`. */
export function typeOf(node: SchemaNode): string {
  if (node.enum !== undefined) return node.enum.map((value) => code(JSON.stringify(value))).join(' or ')
  if (Array.isArray(node.type)) return oneOf(node.type.map((type: string) => typeOf({ type })))
  if (node.anyOf !== undefined) return oneOf(node.anyOf.map(typeOf))
  switch (node.type) {
    case 'array':
      return `list of ${plural(node.items === undefined ? 'value' : typeOf(node.items))}`
    case 'object':
      return typeof node.additionalProperties === 'object' ? 'object by name' : 'object'
    case 'integer':
      return `whole number${bounds(node)}`
    case 'number':
      return `number${bounds(node)}`
    default:
      if (typeof node.type === 'string') return node.type
      return node.$ref === undefined ? 'any value' : 'server'
  }
}

function oneOf(types: readonly string[]): string {
  const different = [...new Set(types)]
  const last = different.at(-1) ?? ''
  return different.length < 2 ? last : `${different.slice(0, -1).join(', ')} or ${last}`
}

function plural(type: string): string {
  return type.replace(/\b(?=,| or |$)/g, 's')
}

/** The bounds in words. The largest safe integer is left out: zod states it as the maximum of every integer. */
function bounds({ minimum, maximum, exclusiveMinimum }: SchemaNode): string {
  // A key with an exclusive minimum and a maximum is an integer.
  const from = minimum ?? (typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : undefined)
  const to = maximum === undefined || maximum > 2 ** 31 ? undefined : maximum
  if (to !== undefined) return ` from ${from ?? 0} to ${to}`
  if (minimum !== undefined) return ` from ${minimum}`
  return exclusiveMinimum === 0 ? ' above 0' : ''
}
