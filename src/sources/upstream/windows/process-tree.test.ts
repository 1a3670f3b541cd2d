import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { descendantsOf, killTree, parseList } from './process-tree.ts'

describe('descendantsOf', () => {
  it('finds children and grandchildren by their parent ids', () => {
    const listed = [
      { pid: 2, parent: 1 },
      { pid: 3, parent: 2 },
      { pid: 4, parent: 9 },
      { pid: 5, parent: 3 },
    ]
    expect(descendantsOf(1, listed)).toEqual([2, 3, 5])
  })

  it('finds no descendants when another process has the id and the list has no start times', () => {
    const listed = [
      { pid: 7, parent: 8 },
      { pid: 8, parent: 7 },
    ]
    expect(descendantsOf(7, listed)).toEqual([])
    expect(descendantsOf(0, [{ pid: 0, parent: 0 }])).toEqual([])
  })

  it('ignores the children of another process that has the id now', () => {
    const listed = [
      { pid: 1, parent: 50, startedAt: 100 },
      { pid: 2, parent: 1, startedAt: 60 },
      { pid: 3, parent: 1, startedAt: 120 },
    ]
    expect(descendantsOf(1, listed)).toEqual([2])
  })

  it('ignores processes that are older than their parent', () => {
    const listed = [
      { pid: 2, parent: 1, startedAt: 60 },
      { pid: 3, parent: 2, startedAt: 10 },
      { pid: 4, parent: 2, startedAt: 61 },
    ]
    expect(descendantsOf(1, listed)).toEqual([2, 4])
  })
})

it('reads the lists of PowerShell and of wmic', () => {
  expect(parseList(Buffer.from('4 10 1700000000000\r\n10 11 \r\n'))).toEqual([
    { parent: 4, pid: 10, startedAt: 1_700_000_000_000 },
    { parent: 10, pid: 11 },
  ])
  const wmic = Buffer.from('\ufeffParentProcessId  ProcessId  \r\n4                10         \r\n\r\n', 'utf16le')
  expect(parseList(wmic)).toEqual([{ parent: 4, pid: 10 }])
  expect(parseList(Buffer.from(''))).toEqual([])
})

it('kills the leader itself when taskkill cannot be started', async () => {
  const leader = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'], { stdio: 'ignore' })
  const ended = once(leader, 'exit')
  await once(leader, 'spawn')
  await killTree(leader, { SystemRoot: 'no-such-folder' })
  expect(await ended).toEqual([null, 'SIGKILL'])
})
