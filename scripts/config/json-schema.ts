// The JSON Schema of a config, with a description for every key. Editors use it to complete and check a config.

import { z } from 'zod'
import { configSchema } from '../../src/config/config.ts'
import { serverSchema } from '../../src/config/config-entry.ts'
import { type KeyText, SERVER, textOf } from './texts.ts'

/** The part of JSON Schema that our config uses. */
export interface SchemaNode {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly additionalProperties?: SchemaNode | boolean
  readonly items?: SchemaNode
  readonly anyOf?: readonly SchemaNode[]
  readonly minimum?: number
  readonly maximum?: number
  readonly $ref?: string
  readonly [key: string]: unknown
}

/** One key of a config with its schema. `path` is for example `http.port` or `discovery.servers.NAME.command`. */
export interface ConfigKey {
  readonly path: string
  readonly node: SchemaNode
  readonly text: KeyText
}

/** The schema file. The schema of a server is in `$defs`, because `servers` can be a list or an object. */
export function configJsonSchema(): SchemaNode {
  const { $schema, ...root } = withDescriptions(plainSchema(configSchema.omit({ plugins: true })), '')
  const server = withDescriptions(plainSchema(serverSchema), SERVER)
  const { $schema: _draft, ...entry } = server
  const reference = { $ref: '#/$defs/server' }
  const { discovery } = root.properties ?? {}
  const servers = {
    ...discovery?.properties?.servers,
    anyOf: [
      { type: 'array', items: reference },
      { type: 'object', additionalProperties: reference },
    ],
  }
  return {
    $schema,
    title: 'Toolcrib configuration',
    ...root,
    properties: {
      ...root.properties,
      discovery: { ...discovery, properties: { ...discovery?.properties, servers } },
    },
    $defs: { server: entry },
  }
}

/** Every key of a config, in the order of the schema. */
export function configKeys(): readonly ConfigKey[] {
  const { $defs, ...root } = configJsonSchema()
  // `configJsonSchema` has put the schema of a server there.
  const { server } = $defs as { server: SchemaNode }
  return [...keysIn(root, ''), ...keysIn(server, SERVER)]
}

function plainSchema(schema: z.ZodType): SchemaNode {
  // The output is JSON Schema. `SchemaNode` has the fields that are used here.
  return z.toJSONSchema(schema, { io: 'input', target: 'draft-07' }) as SchemaNode
}

function keysIn(node: SchemaNode, path: string): readonly ConfigKey[] {
  return Object.entries(node.properties ?? {}).flatMap(([key, inner]) => {
    const at = path === '' ? key : `${path}.${key}`
    // The keys of a connection can also be written next to `connection`. They are listed among the keys of the server.
    if (at === `${SERVER}.connection`) return [{ path: at, node: inner, text: textOf(at) }]
    const item = inner.items?.properties === undefined ? [] : keysIn(inner.items, `${at}[]`)
    return [{ path: at, node: inner, text: textOf(at) }, ...keysIn(inner, at), ...item]
  })
}

/** Adds the text of each key as its description. */
function withDescriptions(node: SchemaNode, path: string): SchemaNode {
  const properties = Object.entries(node.properties ?? {}).map(([key, inner]) => {
    const at = path === '' ? key : `${path}.${key}`
    const { text } = textOf(at)
    const { items } = inner
    const list = items === undefined ? {} : { items: withDescriptions(items, `${at}[]`) }
    return [key, { ...withDescriptions(inner, at), ...list, description: text }] as const
  })
  return properties.length === 0 ? node : { ...node, properties: Object.fromEntries(properties) }
}
