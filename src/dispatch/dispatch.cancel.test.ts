import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Middleware } from '../core/call.ts'
import { success } from '../core/result.ts'
import { commandOf } from '../sources/commands/command.fixture.ts'
import { dispatcherOf } from './dispatch.fixture.ts'

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

  it('before it starts runs neither middleware nor handler', async () => {
    let ran = 0
    const middleware: Middleware = (_name, _input, _context, next) => {
      ran++
      return next()
    }
    const run = await dispatcherOf([commandOf('a', { handler: () => success(ran++) })], { middleware: [middleware] })
    controller.abort()
    expect(await run('a', {}, { signal: controller.signal })).toMatchObject(CANCELLED)
    expect(ran).toBe(0)
  })

  it('while a middleware waits does not start the handler after all', async () => {
    const ran: string[] = []
    const waiting: Middleware = async (_name, _input, _context, next) => {
      controller.abort()
      await settle()
      return next()
    }
    const run = await dispatcherOf([commandOf('a', { handler: () => success(ran.push('a')) })], {
      middleware: [waiting],
    })
    expect(await run('a', {}, { signal: controller.signal })).toMatchObject(CANCELLED)
    expect(ran).toEqual([])
  })

  it('reaches a handler that listens, whose answer may come too late to count', async () => {
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
    const result = await (await dispatcherOf([command]))('a', {}, { signal: controller.signal })
    expect(heard).toBe(true)
    expect([success('stopped'), expect.objectContaining({ success: false })]).toContainEqual(result)
  })

  it('leaves behind a handler that ignores its signal', async () => {
    const command = commandOf('a', {
      handler: () => {
        controller.abort()
        return new Promise(() => {})
      },
    })
    expect(await (await dispatcherOf([command]))('a', {}, { signal: controller.signal })).toMatchObject(CANCELLED)
  })

  it('lets a late answer and a late rejection go nowhere', async () => {
    for (const late of ['resolve', 'reject'] as const) {
      let finish = () => {}
      const command = commandOf('a', {
        handler: () =>
          new Promise((resolve, reject) => {
            finish = () => (late === 'resolve' ? resolve(success('late')) : reject(new Error('late')))
          }),
      })
      controller = new AbortController()
      const running = (await dispatcherOf([command]))('a', {}, { signal: controller.signal })
      await settle()
      controller.abort()
      expect(await running).toMatchObject(CANCELLED)
      finish()
      await settle()
    }
    expect(unhandled).toEqual([])
  })

  it('after it ended changes nothing', async () => {
    const result = await (await dispatcherOf([commandOf('a')]))('a', {}, { signal: controller.signal })
    controller.abort()
    await settle()
    expect(result.success).toBe(true)
    expect(unhandled).toEqual([])
  })

  it('goes by the signal that a middleware put in its place', async () => {
    const own = new AbortController()
    const narrowing: Middleware = (_name, _input, context, next) => next({ ...context, signal: own.signal })
    const command = commandOf('a', {
      handler: () => {
        own.abort()
        return new Promise(() => {})
      },
    })
    const run = await dispatcherOf([command], { middleware: [narrowing] })
    expect(await run('a', {}, { signal: controller.signal })).toMatchObject(CANCELLED)
  })

  it('is told to onCommand like any other end, once', async () => {
    const codes: unknown[] = []
    const command = commandOf('a', {
      handler: () => {
        controller.abort()
        return new Promise(() => {})
      },
    })
    const run = await dispatcherOf([command], { onCommand: ({ result }) => void codes.push(result.error?.code) })
    await run('a', {}, { signal: controller.signal })
    expect(codes).toEqual(['CANCELLED'])
  })

  it('keeps no listener on a signal that lives on', async () => {
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
    await (await dispatcherOf([commandOf('a')]))('a', {}, { signal: counting })
    await settle()
    expect(listeners).toBe(0)
  })
})
