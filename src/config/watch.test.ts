import { chmodSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { tempFolder } from './temp-folder.fixture.ts'
import { type OnChange, type WatchOptions, watchConfig } from './watch.ts'

// Polling is off in most tests, so that the file system events are tested.
const NEVER = 2 ** 30

function watching(files: readonly string[], options: WatchOptions = {}, also: OnChange = () => undefined) {
  const reports: string[][] = []
  const waiting: (() => void)[] = []
  const watch = watchConfig(
    files,
    async (changed) => {
      reports.push([...changed])
      for (const wake of waiting.splice(0)) wake()
      await also(changed)
    },
    { debounceMs: 20, pollMs: NEVER, ...options },
  )
  onTestFinished(() => watch.close())
  return { watch, reports, next: () => new Promise<void>((resolve) => waiting.push(resolve)) }
}

describe('watchConfig with events', () => {
  it('reports a file when it is written', async () => {
    const folder = tempFolder()
    const file = folder.write('config.json', '1')
    const { reports, next } = watching([file, folder.at('other.json')])
    const seen = next()
    folder.write('config.json', '22')
    await seen
    expect(reports).toEqual([[file]])
  })

  it('reports a file when its permissions change', async () => {
    const folder = tempFolder()
    const file = folder.write('config.json', '1')
    chmodSync(file, 0o644)
    const { reports, next } = watching([file])
    const seen = next()
    chmodSync(file, 0o600)
    await seen
    expect(reports).toEqual([[file]])
  })

  it('reports a file each time another file replaces it', async () => {
    const folder = tempFolder()
    const file = folder.write('config.json', '1')
    const { reports, next } = watching([file])
    for (const text of ['22', '333', '4444']) {
      const seen = next()
      renameSync(folder.write('config.json.tmp', text), file)
      await seen
    }
    expect(reports).toEqual([[file], [file], [file]])
  })

  it('reports a file when it is created and when it is removed', async () => {
    const folder = tempFolder()
    const file = folder.at('config.json')
    const { reports, next } = watching([file])
    for (const change of [() => writeFileSync(file, '1'), () => rmSync(file), () => writeFileSync(file, '22')]) {
      const seen = next()
      change()
      await seen
    }
    expect(reports).toEqual([[file], [file], [file]])
  })

  it('reports a file once when it is written many times in a row', async () => {
    const folder = tempFolder()
    const file = folder.write('config.json', '')
    const other = folder.write('other.json', '')
    const { reports, next } = watching([file, other], { debounceMs: 100 })
    const seen = next()
    for (let length = 1; length < 20; length++) writeFileSync(file, 'x'.repeat(length))
    await seen
    const last = next()
    writeFileSync(other, 'x')
    await last
    expect(reports).toEqual([[file], [other]])
  })

  it('reports a symbolic link when its target changes', async () => {
    const folder = tempFolder()
    const target = folder.write('dotfiles/config.json', '1')
    symlinkSync(target, folder.at('config.json'))
    const { reports, next } = watching([folder.at('config.json')])
    const seen = next()
    writeFileSync(target, '22')
    await seen
    expect(reports).toEqual([[folder.at('config.json')]])
  })

  it('reports a file even if it changes all the time', async () => {
    const folder = tempFolder()
    const file = folder.write('config.json', '')
    const { next } = watching([file], { debounceMs: 20 })
    const seen = next()
    let length = 0
    const writing = setInterval(() => writeFileSync(file, 'x'.repeat(++length)), 5)
    onTestFinished(() => clearInterval(writing))
    await seen
  })
})

describe('watchConfig with polling', () => {
  it('detects by polling files in folders that do not exist yet, and then watches them', async () => {
    const folder = tempFolder()
    const file = folder.at('later/deep/config.json')
    const { reports, next } = watching([file], { pollMs: 10 })
    for (const text of ['1', '22']) {
      const seen = next()
      folder.write('later/deep/config.json', text)
      await seen
    }
    expect(reports).toEqual([[file], [file]])
  })

  it('detects by polling that a folder was replaced', async () => {
    const folder = tempFolder()
    const file = folder.write('a/config.json', '1')
    const { next } = watching([file], { pollMs: 10 })
    const gone = next()
    renameSync(folder.at('a'), folder.at('b'))
    await gone
    const back = next()
    folder.write('a/config.json', '22')
    await back
  })
})

describe('watchConfig', () => {
  it('reports one change at a time, and later changes after it', async () => {
    const folder = tempFolder()
    const file = folder.write('config.json', '1')
    let running = 0
    let mostRunning = 0
    // Another watch with a longer debounce time shows that the change has been processed.
    const control = watching([file], { debounceMs: 60 })
    const { reports, next } = watching([file], {}, async () => {
      mostRunning = Math.max(mostRunning, ++running)
      if (reports.length === 1) {
        const processed = control.next()
        writeFileSync(file, '333')
        await processed
      }
      running--
    })
    const first = next()
    writeFileSync(file, '22')
    await first
    await next()
    expect(reports).toEqual([[file], [file]])
    expect(mostRunning).toBe(1)
  })

  it('accepts other files and can be closed during a report', async () => {
    const folder = tempFolder()
    const [first, second] = [folder.write('first.json', '1'), folder.write('later/second.json', '1')]
    const { watch, reports, next } = watching([first], {}, () => {
      if (reports.length === 1) watch.update([second])
      else watch.close()
    })
    const seen = next()
    writeFileSync(first, '22')
    await seen
    const other = next()
    writeFileSync(first, '333')
    writeFileSync(second, '22')
    await other
    expect(reports).toEqual([[first], [second]])
  })

  it('continues after a listener and an `onError` that both throw', async () => {
    const folder = tempFolder()
    const file = folder.write('config.json', '1')
    const onError = vi.fn(() => {
      throw new Error('also no')
    })
    const { next } = watching([file], { onError }, () => Promise.reject(new Error('no')))
    for (const text of ['22', '333']) {
      const seen = next()
      writeFileSync(file, text)
      await seen
    }
    expect(onError).toHaveBeenNthCalledWith(1, new Error('no'))
  })

  it('stops when it is closed or its signal is aborted, and can be closed twice', async () => {
    const folder = tempFolder()
    const [file, control] = [folder.write('config.json', '1'), folder.write('control.json', '1')]
    const abort = new AbortController()
    const closed = watching([file])
    const aborted = watching([file], { signal: abort.signal })
    const never = watching([file], { signal: AbortSignal.abort() })
    closed.watch.close()
    closed.watch[Symbol.dispose]()
    abort.abort()
    // Another watch of the same folder shows that the change has been processed.
    const { next } = watching([file, control], { debounceMs: 60 })
    const seen = next()
    writeFileSync(file, '22')
    await seen
    expect([closed.reports, aborted.reports, never.reports]).toEqual([[], [], []])
  })
})
