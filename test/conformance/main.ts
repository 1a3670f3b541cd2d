// Serves the fixture until the process gets SIGTERM, for `npm run conformance`.

import { createFixtureServer } from './fixture-server.ts'

const server = createFixtureServer(Number(process.argv[2] ?? 0))
await server.start()
console.log(`${server.getUrl()}/mcp`)
process.once('SIGTERM', () => void server.stop())
