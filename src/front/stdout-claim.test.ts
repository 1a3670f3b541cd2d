// While a server uses stdout, output of other code goes to stderr. Needs the built test/fixtures.

import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { initialize, toolCall } from './raw-client.fixture.ts'
import { claimStdout } from './stdout-claim.ts'

const ENTRY = fileURLToPath(new URL('../../build/test/fixtures/talkative-entry.js', import.meta.url))

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
