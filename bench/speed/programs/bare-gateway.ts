// The gateway without audit, rules, limits and usage counts, over stdio: `node bare-gateway.js CONFIG`.

import { dirname } from 'node:path'
import { loadConfig } from '../../../src/config/load/load.ts'
import { createCrib } from '../../../src/crib/crib.ts'
import { createUpstreams } from '../../../src/crib/upstreams.ts'
import { createActivity } from '../../../src/front/activity.ts'
import { openStdioDoor } from '../../../src/front/doors.ts'
import { createMemoryStore } from '../../../src/storage/memory.ts'

const [config = ''] = process.argv.slice(2)
const folder = dirname(config)
const complain = (message: string) => process.stderr.write(`${message}\n`)
const loaded = await loadConfig({
  cwd: folder,
  home: folder,
  configDir: folder,
  platform: process.platform,
  env: process.env,
  explicit: config,
  signal: new AbortController().signal,
})
const about = { name: 'bare', version: '1.0.0' }
const upstreams = createUpstreams({
  env: process.env,
  clientInfo: about,
  store: createMemoryStore(),
  onProblem: (server, reason) => complain(`${server}: ${reason}`),
})
upstreams.update(loaded)
const crib = createCrib({ about, sources: upstreams.sources, strategy: 'gateway', builtins: false })
const door = openStdioDoor({
  crib,
  activity: createActivity(),
  onToolCall() {},
  onError: (error) => complain(error.message),
})
await door.left
await door.close()
await crib[Symbol.asyncDispose]()
await upstreams[Symbol.asyncDispose]()
