// The bundled example servers, which `serve --demo` uses if no server is configured.

import type { ServerConfig } from '../../../config/server-config.ts'

const SERVERS = '../examples/servers/index.js'

export async function demoServers(): Promise<readonly ServerConfig[]> {
  const { exampleServers } = (await import(new URL(SERVERS, import.meta.url).href)) as ExampleModule
  return exampleServers().map(({ name, description, command, args }) => ({
    name,
    description,
    connection: { type: 'stdio', command, args, env: {} },
    enabled: true,
    origin: { source: 'example', file: SERVERS },
  }))
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
