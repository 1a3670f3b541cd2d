import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
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
