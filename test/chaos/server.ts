// A server for chaos runs. It writes down each call before it answers, and misbehaves on signals.

import { openSync, writeFileSync, writeSync } from 'node:fs'
import { notify, serveRaw, text, tool } from '../fixtures/upstream/raw-server.ts'

const [, , folder = '', name = ''] = process.argv
const log = openSync(`${folder}/${name}.log`, 'a')
writeFileSync(`${folder}/${name}.pid`, String(process.pid))

const SLOW_FOR_MS = 300
const SLOW_BY_MS = 40
const NOTIFICATIONS = 200
let slowUntil = 0

process.on('SIGUSR2', () => process.stdout.write('this is not JSON\n{"jsonrpc":"2.0","id":\n\u0000\u0007{}\n[1,2]\n'))
process.on('SIGHUP', () => {
  for (let count = 0; count < NOTIFICATIONS; count++) notify('notifications/tools/list_changed')
})
process.on('SIGWINCH', () => {
  slowUntil = Date.now() + SLOW_FOR_MS
})

serveRaw({
  methods: {
    'tools/list': () => ({
      tools: [tool('echo', { inputSchema: { type: 'object', properties: { callId: { type: 'string' } } } })],
    }),
    'tools/call': async ({ params }) => {
      const callId = String(params?.arguments?.callId)
      writeSync(log, `${callId}\n`)
      if (Date.now() < slowUntil) await new Promise((resolve) => setTimeout(resolve, SLOW_BY_MS))
      return text({ callId, server: name })
    },
  },
})
