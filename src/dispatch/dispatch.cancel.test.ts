import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Middleware } from '../core/call.ts'
import { success } from '../core/result.ts'
import { commandOf } from '../sources/commands/command.fixture.ts'
import { createRunner } from './dispatch.fixture.ts'

const CANCELLED = { error: { code: 'CANCELLED', message: "'a' was cancelled before it finished" } }

const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('cancelling a call', () => {
  let controller: AbortController
  let unhandled: unknown[]
  const note = (reason: unknown) => unhandled.push(reason)
  beforeEach(() => {
    controller = new AbortController()
    unhandled = []
    process.on('unhandledRejection', note)
  })
  afterEach(() => {
    process.off('unhandledRejection', note)
  })

  it('runs neither middleware nor handler when the call is cancelled before it starts', async () => {
    let ran = 0
    const middleware: Middleware = (_name, _input, _context, next) => {
      ran++
      return next()
    }
    const run = await createRunner([commandOf('a', { handler: () => success(ran++) })], { middleware: [middleware] })
    controller.abort()
    expect(await run('a', {}, { signal: controller.signal })).toMatchObject(CANCELLED)
    expect(ran).toBe(0)
  })

  it('does not start the handler when the call is cancelled while a middleware waits', async () => {
    const ran: string[] = []
    const waiting: Middleware = async (_name, _input, _context, next) => {
      controller.abort()
      await settle()
      return next()
    }
    const run = await createRunner([commandOf('a', { handler: () => success(ran.push('a')) })], {
      middleware: [waiting],
    })
    expect(await run('a', {}, { signal: controller.signal })).toMatchObject(CANCELLED)
    expect(ran).toEqual([])
  })

  it('aborts the signal of the handler, and returns either the answer of the handler or a failure', async () => {
    let heard = false
    const command = commandOf('a', {
      handler: (_input, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            heard = true
            resolve(success('stopped'))
          })
          controller.abort()
        }),
    })
    const result = await (await createRunner([command]))('a', {}, { signal: controller.signal })
    expect(heard).toBe(true)
    expect([success('stopped'), expect.objectContaining({ success: false })]).toContainEqual(result)
  })

  it('answers CANCELLED without waiting for a handler that ignores its signal', async () => {
    const command = commandOf('a', {
      handler: () => {
        controller.abort()
        return new Promise(() => {})
      },
    })
    expect(await (await createRunner([command]))('a', {}, { signal: controller.signal })).toMatchObject(CANCELLED)
  })

  it('ignores a late answer and a late rejection of a cancelled handler', async () => {
    for (const late of ['resolve', 'reject'] as const) {
      let finish = () => {}
      const command = commandOf('a', {
        handler: () =>
          new Promise((resolve, reject) => {
            finish = () => (late === 'resolve' ? resolve(success('late')) : reject(new Error('late')))
          }),
      })
      controller = new AbortController()
      const running = (await createRunner([command]))('a', {}, { signal: controller.signal })
      await settle()
      controller.abort()
      expect(await running).toMatchObject(CANCELLED)
      finish()
      await settle()
    }
    expect(unhandled).toEqual([])
  })

  it('does not change the result when the signal is aborted after the call ended', async () => {
    const result = await (await createRunner([commandOf('a')]))('a', {}, { signal: controller.signal })
    controller.abort()
    await settle()
    expect(result.success).toBe(true)
    expect(unhandled).toEqual([])
  })

  it('uses the signal that a middleware puts into the context', async () => {
    const own = new AbortController()
    const narrowing: Middleware = (_name, _input, context, next) => next({ ...context, signal: own.signal })
    const command = commandOf('a', {
      handler: () => {
        own.abort()
        return new Promise(() => {})
      },
    })
    const run = await createRunner([command], { middleware: [narrowing] })
    expect(await run('a', {}, { signal: controller.signal })).toMatchObject(CANCELLED)
  })

  it('calls onCommand once for a cancelled call', async () => {
    const codes: unknown[] = []
    const command = commandOf('a', {
      handler: () => {
        controller.abort()
        return new Promise(() => {})
      },
    })
    const run = await createRunner([command], { onCommand: ({ result }) => void codes.push(result.error?.code) })
    await run('a', {}, { signal: controller.signal })
    expect(codes).toEqual(['CANCELLED'])
  })

  it('removes its listeners from a signal that outlives the call', async () => {
    let listeners = 0
    const { signal } = controller
    const counting = new Proxy(signal, {
      get(target, key) {
        if (key === 'addEventListener') listeners++
        if (key === 'removeEventListener') listeners--
        const value: unknown = Reflect.get(target, key)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    await (await createRunner([commandOf('a')]))('a', {}, { signal: counting })
    await settle()
    expect(listeners).toBe(0)
  })
})
