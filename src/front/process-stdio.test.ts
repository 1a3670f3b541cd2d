// The stdin and stdout of this process. Needs the built test/fixtures.

import { spawn, spawnSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempFolder } from '../config/temp-folder.fixture.ts'
import { claimStdout } from '../core/claim-stdout.ts'
import { chooseTransport } from './process-stdio.ts'
import { initialize, toolCall } from './raw-client.fixture.ts'

const ENTRY = fileURLToPath(new URL('../../build/test/fixtures/talkative-entry.js', import.meta.url))
const self = fileURLToPath(import.meta.url)
const isWindows = process.platform === 'win32'

/** The choice of a process that reads its stdin from `path`. */
function choiceFor(path: string, flags: number = constants.O_RDONLY) {
  const fd = openSync(path, flags)
  try {
    return chooseTransport('auto', fd)
  } finally {
    closeSync(fd)
  }
}

describe('chooseTransport', () => {
  it('returns a transport that the author chose, and gives no reason for it', () => {
    expect(chooseTransport('stdio', -1)).toEqual({ transport: 'stdio' })
    expect(chooseTransport('http', -1)).toEqual({ transport: 'http' })
  })

  it('chooses stdio when stdin is a file', () => {
    expect(choiceFor(self)).toEqual({ transport: 'stdio', reason: 'stdin is a file' })
  })

  // The stdin of a child process of Node is a socket; the end-to-end tests cover that.
  it.skipIf(isWindows)('chooses stdio when stdin is a pipe', () => {
    const pipe = tempFolder().at('pipe')
    spawnSync('mkfifo', [pipe])
    // Opened for reading and writing, so that open does not block until another process opens the pipe.
    expect(choiceFor(pipe, constants.O_RDWR)).toEqual({ transport: 'stdio', reason: 'stdin is a pipe' })
  })

  it('chooses http when stdin is the null device, as under a service manager', () => {
    expect(choiceFor(devNull)).toEqual({ transport: 'http', reason: 'stdin is a device' })
  })

  it('chooses http when stdin is closed', () => {
    const fd = openSync(self, 'r')
    closeSync(fd)
    expect(chooseTransport('auto', fd)).toEqual({ transport: 'http', reason: 'stdin is closed' })
  })
})

describe('stdout of a server over stdio', () => {
  it('keeps stdout for the protocol, and sends output of handlers to stderr', async () => {
    const child = spawn(process.execPath, [ENTRY], { stdio: 'pipe' })
    onTestFinished(() => void child.kill('SIGKILL'))
    const written = Promise.all([text(child.stdout), text(child.stderr)])
    child.stdin.write(`${JSON.stringify(initialize())}\n`)
    child.stdin.end(`${JSON.stringify(toolCall('text-print', {}, 'print'))}\n`)
    const [stdout, stderr] = await written
    const lines = stdout.trimEnd().split('\n')
    // After the server has stopped, output goes to stdout again.
    expect(lines.pop()).toBe('after the end')
    const answers = lines.map((line) => JSON.parse(line))
    expect(answers.map(({ id }) => id)).toEqual(['init', 'print'])
    expect(answers[1].result.structuredContent.data).toBe('printed')
    for (const said of [
      ...['before the start', 'after the start', 'by console.log', 'by console.info', 'by console.table'],
      ...['by a copy of console.log', 'by process.stdout.write'],
    ]) {
      expect(stderr).toContain(said)
    }
    expect(stderr).not.toContain('after the end')
  })

  it('restores stdout when the last of several claims is released', () => {
    const before = process.stdout.write
    const [first, second] = [claimStdout(), claimStdout()]
    expect(process.stdout.write).not.toBe(before)
    first.release()
    first.release()
    expect(process.stdout.write).not.toBe(before)
    second.release()
    expect(process.stdout.write).toBe(before)
  })
})
