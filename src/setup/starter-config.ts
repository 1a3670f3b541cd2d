// Creates the text of a new config: a few settings with comments.

import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findConfig } from '../config/find-config.ts'
import { isModule } from '../config/load-module.ts'
import { raise } from '../core/errors.ts'
import { discoverClients } from './discover.ts'
import type { Environment } from './environment.ts'

interface StarterOptions {
  /** For the current folder instead of the user. */
  readonly isProject: boolean
  /** TypeScript instead of JSON with comments. */
  readonly isTypeScript: boolean
  /** The file given with --config. */
  readonly given?: string | undefined
}

interface Starter {
  readonly file: string
  readonly text: string
  /** The clients with servers that the new config imports. */
  readonly clients: readonly string[]
}

const SCHEMA = join('schema', 'config.schema.json')

/** Raises if there is a config already: a second one would not be used, and the first one is never changed. */
export async function planStarter(environment: Environment, options: StarterOptions): Promise<Starter> {
  const file = await starterFile(environment, options)
  // Each client file of a project needs an approval, so a new project config names no clients.
  const found = options.isProject ? [] : await discoverClients(environment, { scope: 'user' })
  const used = found.filter(({ servers }) => servers.length > 0)
  const clients = [...new Set(used.map(({ client }) => client))]
  const names = used.flatMap(({ servers }) => servers.map(({ name }) => name))
  // In TypeScript, the editor checks the config by the type of `defineConfig`.
  const schema = options.isTypeScript ? undefined : schemaFor(file, environment, options)
  const lines = starterLines({ clients, schema, isProject: options.isProject, sample: sampleName(names) })
  const body = lines.join('\n')
  const text = options.isTypeScript
    ? `import { defineConfig } from 'toolcrib'\n\nexport default defineConfig(${body})\n`
    : `${body}\n`
  return { file, text, clients }
}

async function starterFile(environment: Environment, options: StarterOptions): Promise<string> {
  const { cwd, configDir } = environment
  const { origin, project } = await findConfig({ ...environment, explicit: options.given })
  if (origin.kind === 'explicit') return existsSync(origin.file) ? raiseExists(origin.file, false) : origin.file
  const ofUser = origin.kind === 'user' ? origin.file : undefined
  const existing = options.isProject ? project : ofUser
  if (existing !== undefined) return raiseExists(existing, options.isProject)
  const folder = options.isProject ? join(cwd, '.toolcrib') : configDir
  return join(folder, options.isTypeScript ? 'config.ts' : 'config.jsonc')
}

function raiseExists(file: string, isProject: boolean): never {
  // `import --write` changes only the config of the user, and no code.
  const canImport = !isProject && !isModule(file)
  const todo = `Edit it${canImport ? ', or run `toolcrib import --write` to add the servers of your clients to it' : ''}.`
  const reason = 'there is a config already, and `config init` never changes one'
  return raise('CONFIG_UNWRITABLE', { file, reason, todo })
}

/** Chooses a name that no client uses. A client's server with the same name would be served under another name. */
function sampleName(taken: readonly string[]): string {
  let name = 'sample'
  for (let count = 2; taken.includes(name); count++) name = `sample-${count}`
  return name
}

interface SchemaLine {
  readonly path: string
  /** False: the line is written as a comment, because the path does not exist, or is in the temporary folder of npx. */
  readonly isUsable: boolean
}

/** The path of the schema: in the packages of the project, or in the package of the running command. */
function schemaFor(file: string, { program, cwd }: Environment, { isProject }: StarterOptions): SchemaLine {
  const ofProject = join(cwd, 'node_modules', 'toolcrib', SCHEMA)
  if (isProject) {
    const path = relative(dirname(file), ofProject).replaceAll('\\', '/')
    return { path: path.startsWith('.') ? path : `./${path}`, isUsable: existsSync(ofProject) }
  }
  const installed = join(dirname(program), '..', '..', SCHEMA)
  return { path: pathToFileURL(installed).href, isUsable: existsSync(installed) && !/[\\/]_npx[\\/]/.test(installed) }
}

function starterLines({
  clients,
  schema,
  isProject,
  sample,
}: {
  readonly clients: readonly string[]
  readonly schema: SchemaLine | undefined
  readonly isProject: boolean
  readonly sample: string
}): readonly string[] {
  const sources = clients.map((type) => `{ "type": ${JSON.stringify(type)} }`)
  return [
    '{',
    ...(schema === undefined
      ? []
      : [
          '  // Lets an editor complete and check the keys. docs/configuration.md in the',
          '  // repository of Toolcrib lists them.',
          `  ${schema.isUsable ? '' : '// '}"$schema": ${JSON.stringify(schema.path)},`,
        ]),
    ...(isProject
      ? []
      : [
          '  // The environment variables that servers inherit: true (all except the',
          '  // secrets of other servers), false (only a few), or a list of names.',
          '  // "inheritEnv": ["*_PROXY", "AWS_*"],',
        ]),
    '  "discovery": {',
    '    "servers": {',
    `      // A server at an address. \${NAME} is a variable of the environment`,
    '      // or of secrets.env.',
    '      // "docs": {',
    '      //   "url": "https://mcp.example.com/mcp",',
    `      //   "headers": { "Authorization": "Bearer \${DOCS_TOKEN}" }`,
    '      // },',
    '      // A program that speaks MCP. Remove "enabled" to use it.',
    `      ${JSON.stringify(sample)}: {`,
    '        "enabled": false,',
    '        "command": "npx",',
    '        "args": ["-y", "@modelcontextprotocol/server-filesystem", "."]',
    '      }',
    '    },',
    ...(isProject
      ? []
      : ['    // MCP clients. Their servers are used too.', `    "sources": [${sources.join(', ')}],`]),
    '    // The first rule that matches a tool decides; a rule with only * decides last.',
    '    "toolRules": [',
    '      // { "pattern": ["*delete*"], "enabled": false }',
    '    ]',
    '  }',
    '}',
  ]
}
