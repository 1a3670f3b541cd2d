import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../../config/temp-folder.fixture.ts'
import { type ProcessOptions, startProcess } from './process.ts'
import { createStderrRing } from './server-output.ts'
import { fixturePath, isAlive, recordingWatchdog, until } from './upstream.fixture.ts'

async function start(args: readonly string[], more: Partial<ProcessOptions> = {}) {
  const watchdog = recordingWatchdog()
  const stderr = createStderrRing()
  const server = await startProcess({
    command: process.execPath,
    args,
    env: {},
    graceMs: 100,
    watchdog,
    stderr,
    ...more,
  })
  onTestFinished(async () => {
    await server.end()
    await watchdog.expectNoneLeft()
  })
  return { server, stderr, watchdog }
}

const isWindows = process.platform === 'win32'
const evaluate = (script: string) => ['-e', script]

describe('a server process', () => {
  // Windows adds variables that every process needs.
  it.skipIf(isWindows)('starts a process in the given folder with exactly the given environment', async () => {
    const { path: folder } = tempFolder()
    const script = 'console.log(JSON.stringify([process.cwd(), process.env]))'
    const { server } = await start(evaluate(script), { cwd: folder, env: { ONLY: 'this' } })
    const line = await new Promise<string>((resolve) => server.stdout.once('data', (chunk) => resolve(String(chunk))))
    const [cwd, env] = JSON.parse(line) as [string, Record<string, string>] // printed by the script above
    expect(cwd).toBe(folder)
    expect(Object.keys(env).filter((key) => !key.startsWith('__'))).toEqual(['ONLY'])
  })

  it('closes the input and waits until the process ends by itself', async () => {
    const { server } = await start(evaluate("process.stdin.resume().on('end', () => process.exit(5))"), {
      graceMs: 5_000,
    })
    await server.end()
    expect(await server.ended).toBe('it exited with code 5')
  })

  it.skipIf(isWindows)(
    'ends a process with SIGTERM if it does not end by itself, and with SIGKILL if it ignores SIGTERM',
    async () => {
      const { server: hanging } = await start([fixturePath('hang')])
      await hanging.end()
      expect(await hanging.ended).toBe('it was ended by SIGTERM')
      const { server: stubborn, stderr } = await start([fixturePath('hang'), 'stubborn'])
      await until(() => stderr.tail() !== '')
      await stubborn.end()
      expect(await stubborn.ended).toBe('it was ended by SIGKILL')
    },
  )

  it('a process can be ended twice, and after it has ended', async () => {
    const { server } = await start([fixturePath('hang')])
    await Promise.all([server.end(), server.end()])
    await server.end()
    expect(isAlive(server.pid)).toBe(false)
  })

  it.each(['', 'stubborn'])('ends the child processes of a server too (mode %j)', async (mode) => {
    const { server } = await start([fixturePath('fork'), mode], { graceMs: 1_000 })
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: {} })}\n`)
    const line = await new Promise<string>((resolve) => server.stdout.once('data', (chunk) => resolve(String(chunk))))
    const grandchild = Number(/\\"grandchild\\":(\d+)/.exec(line)?.[1])
    expect(isAlive(grandchild)).toBe(true)
    await server.end()
    expect(isAlive(grandchild)).toBe(false)
  })

  it.skipIf(isWindows)('ends the child processes of a server when the server dies by itself', async () => {
    const script = `
      const child = require('child_process').spawn('sleep', ['60'])
      process.stdout.write(String(child.pid), () => process.exit(1))
    `
    const { server } = await start(evaluate(script))
    const pid = Number(await new Promise((resolve) => server.stdout.once('data', resolve)))
    expect(await server.ended).toBe('it exited with code 1')
    await until(() => !isAlive(pid))
  })

  it('delivers the whole output of a process before its end is reported', async () => {
    const { server, stderr } = await start(evaluate("process.stdout.write('x'.repeat(300_000)); console.error('bye')"))
    let bytes = 0
    server.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    await server.ended
    expect(bytes).toBe(300_000)
    expect(stderr.tail()).toBe('bye')
  })

  it('does not start a process with a NUL character in its arguments, and the error does not quote them', async () => {
    const started = startProcess({
      command: process.execPath,
      args: ['5ecret\0'],
      env: {},
      watchdog: recordingWatchdog(),
      stderr: createStderrRing(),
    })
    await expect(started).rejects.toThrow(
      'its command line or environment contains a NUL character, which is not allowed',
    )
  })
})
