// A fast output for short commands: writes to files and pipes without creating the streams of the process.

import { fstatSync, writeSync } from 'node:fs'
import { endOnBrokenPipe } from './broken-pipe.ts'
import { createOutput, type Output, type OutputFlags, type Sinks } from './output.ts'
import { readTerminal } from './terminal.ts'

const STDOUT = 1

/** Writes directly to a file or pipe, because creating the streams takes longer than most answers. */
export function createPlainOutput(flags: OutputFlags, env: Readonly<Record<string, string | undefined>>): Output {
  if (mayBeTerminal()) {
    process.stdout.on('error', endOnBrokenPipe)
    return createOutput(flags, readTerminal(process, env))
  }
  const streams = {
    stdout: {},
    get stderr() {
      return process.stderr
    },
    get stdin() {
      return process.stdin
    },
  }
  return createOutput(flags, readTerminal(streams, env), DIRECT)
}

const DIRECT: Sinks = { out: writeOut, err: (text) => void process.stderr.write(text) }

function mayBeTerminal(): boolean {
  try {
    return process.platform === 'win32' || fstatSync(STDOUT).isCharacterDevice()
  } catch {
    return true
  }
}

function writeOut(text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(STDOUT, bytes, at)
    } catch (error) {
      // The pipe is full and non-blocking; the stream waits until it can be written.
      if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') {
        process.stdout.on('error', endOnBrokenPipe)
        process.stdout.write(bytes.subarray(at))
        return
      }
      endOnBrokenPipe(error)
    }
  }
}
