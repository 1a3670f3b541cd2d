// server.json and the manifest of the bundle agree with the package, and with the rules of the MCP registry.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))
const manifest = z
  .object({ name: z.string(), version: z.string(), mcpName: z.string(), license: z.string() })
  .parse(read('package.json'))

/** The fields of the schema 2025-12-11 that server.json uses, with the limits of the registry. */
const server = z.strictObject({
  $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
  name: z
    .string()
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
    .min(3)
    .max(200),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().regex(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/),
  packages: z
    .array(
      z.strictObject({
        registryType: z.literal('npm'),
        identifier: z.string(),
        version: z.string().regex(/^\d+\.\d+\.\d+(?:-[\w.]+)?$/),
        runtimeHint: z.literal('npx'),
        packageArguments: z.array(z.strictObject({ type: z.literal('positional'), value: z.string() })),
        transport: z.strictObject({ type: z.literal('stdio') }),
      }),
    )
    .length(1),
})

describe('server.json', () => {
  const entry = server.parse(read('server.json'))

  it('server.json has the name that package.json has, so that the registry accepts the package', () => {
    expect(entry.name).toBe(manifest.mcpName)
    expect(entry.packages[0]?.identifier).toBe(manifest.name)
  })

  it('server.json has the version of the package', () => {
    expect([entry.version, entry.packages[0]?.version]).toEqual([manifest.version, manifest.version])
  })
})

describe('the manifest of the bundle', () => {
  const bundle = z
    .object({
      name: z.string(),
      version: z.string(),
      license: z.string(),
      tools: z.array(z.object({ name: z.string() })),
    })
    .parse(read('mcpb/manifest.json'))

  it('the manifest of the bundle has the name, version and license of the package', () => {
    const { name, version, license } = manifest
    expect(bundle).toMatchObject({ name, version, license })
  })

  it('the manifest of the bundle names the five tools of the gateway', () => {
    const names = ['list_mcp_servers', 'search_tools', 'list_tools', 'get_tool_details', 'execute_tool']
    expect(bundle.tools.map((tool) => tool.name)).toEqual(names)
  })
})
