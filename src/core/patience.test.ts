import { getEventListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { withPatience } from './patience.ts'

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

describe('withPatience', () => {
  it('aborts when the time is up, even if garbage is collected meanwhile', async () => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const waiting = withPatience(60, new AbortController().signal, untilAborted)
    const collecting = setInterval(collect, 10)
    try {
      await expect(waiting).rejects.toThrow('No answer in 60 ms')
    } finally {
      clearInterval(collecting)
    }
  })

  it('aborts with the reason of the caller, also if the caller aborted before', async () => {
    const caller = new AbortController()
    const waiting = withPatience(Number.POSITIVE_INFINITY, caller.signal, untilAborted)
    caller.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    await expect(withPatience(1_000, caller.signal, async (signal) => signal.aborted)).resolves.toBe(true)
  })

  it('removes its listener and its timer when the work is done', async () => {
    const { signal } = new AbortController()
    let patience: AbortSignal | undefined
    await withPatience(5, signal, async (given) => {
      patience = given
    })
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    await sleep(20)
    expect(patience?.aborted).toBe(false)
  })
})
