import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../config/temp-folder.fixture.ts'
import { createStderrRing } from './server-output.ts'
import { createStdioTransport } from './stdio-transport.ts'
import { recordingWatchdog } from './upstream.fixture.ts'

it('a message that was sent just before the connection closes reaches the server', async () => {
  const file = join(tempFolder().path, 'received')
  const script = `process.stdin.pipe(require('node:fs').createWriteStream(${JSON.stringify(file)}))`
  const watchdog = recordingWatchdog()
  const transport = createStdioTransport({
    command: process.execPath,
    args: ['-e', script],
    env: {},
    watchdog,
    stderr: createStderrRing(),
  })
  await transport.start()
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } } as const
  const sent = transport.send(cancelled)
  await transport.close()
  await sent
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(cancelled)
  await watchdog.expectNoneLeft()
})

/** Starts a server from a script, and ends it after the test. */
async function serverOf(script: string) {
  const watchdog = recordingWatchdog()
  const options = { command: process.execPath, args: ['-e', script], env: {}, watchdog, stderr: createStderrRing() }
  const transport = createStdioTransport(options)
  await transport.start()
  onTestFinished(() => transport.close())
  return transport
}

/** A server in one thread: it reads a line, writes its answer, and reads the next line only after that. */
const SLOW_SERVER = `const fs = require('node:fs')
const chunk = Buffer.alloc(65536)
const writeAll = (text) => { for (let rest = Buffer.from(text); rest.length > 0; ) {
  try { rest = rest.subarray(fs.writeSync(1, rest)) } catch (error) { if (error.code !== 'EAGAIN') throw error }
} }
for (let text = '', size; (size = read()) > 0; ) {
  const lines = (text + chunk.toString('latin1', 0, size)).split('\\n')
  text = lines.pop()
  for (const line of lines) writeAll(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(line).id, result: { text: 'x'.repeat(1000) } }) + '\\n')
}
function read() { for (;;) try { return fs.readSync(0, chunk) } catch (error) { if (error.code !== 'EAGAIN') return 0 } }`

it('answers 3,000 calls at once to a server that reads the next call only after its answer was read', async () => {
  const transport = await serverOf(SLOW_SERVER)
  const answered = new Promise<void>((resolve) => {
    let count = 0
    transport.onmessage = () => ++count === 3_000 && resolve()
  })
  const params = { text: 'y'.repeat(1_000) }
  for (let id = 0; id < 3_000; id++) void transport.send({ jsonrpc: '2.0', id, method: 'tools/call', params })
  await answered
})

it('reads the output of a server again after the server has read 5,000 answers', async () => {
  const script = `process.stdout.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\\n'.repeat(5000))
let answers = 0
setTimeout(() => process.stdin.on('data', (chunk) => {
  answers += chunk.toString().split('\\n').length - 1
  if (answers === 5000) process.stdout.write('{"jsonrpc":"2.0","method":"notifications/done"}\\n')
}), 500)`
  const transport = await serverOf(script)
  await new Promise<void>((resolve) => {
    transport.onmessage = (message) => {
      if ('method' in message && message.method === 'notifications/done') return resolve()
      void transport.send({ jsonrpc: '2.0', id: 1, result: { text: 'z'.repeat(200) } })
    }
  })
})
