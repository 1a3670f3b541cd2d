// Test fixture: a real wrapped server behind real doors.

import { onTestFinished } from 'vitest'
import type { Connection } from '../config/server-config.ts'
import { openWrap, type WrapOptions } from '../crib/wrap.ts'
import type { FrontOptions } from './front-options.ts'
import { frontOf } from './wrap-server.ts'

interface WrappedFront {
  readonly front: FrontOptions
  /** The problems that were reported. */
  readonly problems: readonly string[]
}

/** Wraps a server and lists its tools unchanged. The server ends with the test. */
export async function wrapFor(connection: Connection, options: Partial<WrapOptions> = {}): Promise<WrappedFront> {
  const problems: string[] = []
  const wrapped = await openWrap(
    {
      connection,
      strategy: 'individual',
      env: process.env,
      clientInfo: { name: 'toolcrib-test', version: '1.0.0' },
      onProblem: (reason) => void problems.push(reason),
      ...options,
    },
    new AbortController().signal,
  )
  onTestFinished(() => wrapped[Symbol.asyncDispose]())
  return { front: frontOf(wrapped, (error) => void problems.push(error.message)), problems }
}
