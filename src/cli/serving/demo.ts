// The bundled example servers, which `serve --demo` uses if no server is configured and enabled.

import type { LoadedConfig } from '../../config/load/load.ts'
import { ownSourceNames } from '../gateway/served-config.ts'

const SERVERS = '../examples/servers/index.js'

/** Uses the example servers if the configuration has no enabled server and no source of its own. */
export async function withDemo(loaded: LoadedConfig): Promise<LoadedConfig> {
  if (loaded.servers.some(({ enabled }) => enabled) || ownSourceNames(loaded).length > 0) return loaded
  const { exampleServers } = (await import(new URL(SERVERS, import.meta.url).href)) as ExampleModule
  const servers = exampleServers().map(({ name, description, command, args }) => ({
    name,
    description,
    connection: { type: 'stdio' as const, command, args, env: {} },
    enabled: true,
    origin: { source: 'example', file: SERVERS },
  }))
  return { ...loaded, servers }
}

/** The examples are built after this package and import it, so they are imported by URL. A test starts them. */
interface ExampleModule {
  exampleServers(): readonly {
    readonly name: string
    readonly description: string
    readonly command: string
    readonly args: readonly string[]
  }[]
}
