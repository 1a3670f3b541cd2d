// A call before the servers have listed their tools waits for them for a moment, before it reports a missing tool.

import { describe, expect, it } from 'vitest'
import { entryOf, scriptedSource } from '../sources/source.fixture.ts'
import type { ToolSource } from '../sources/source.ts'
import { requestOf } from './crib.fixture.ts'
import { type Crib, createCrib } from './crib.ts'

/** Has no tools for a moment, and then `get-sum`. */
function slowSource(id: string, readyMs = 50): ToolSource {
  const source = scriptedSource(id, [])
  const ready = new Promise<void>((resolve) => setTimeout(resolve, readyMs)).then(() => {
    source.script([entryOf('get-sum', { description: 'Add two numbers.' })])
    source.announce()
  })
  return { ...source, settle: () => ready, info: () => ({ state: 'starting' }) }
}

const open = (strategy: string, sources = [slowSource('math'), slowSource('more')]): Crib =>
  createCrib({ about: { name: 'test', version: '1.0.0' }, sources, strategy })

describe('a crib with servers that are still starting', () => {
  it.each(['individual', 'grouped', 'lazy', 'gateway', 'categories', 'capabilities', 'auto'])(
    'runs a tool by its name under %s, even if the server of the tool is still starting',
    async (strategy) => {
      for (const name of ['math__get-sum', 'math:get-sum']) {
        expect(await open(strategy).call(name, {}, requestOf('one'))).toMatchObject({ success: true })
      }
    },
  )

  it.each([
    ['afd-discover', { search: 'sum' }, { data: { filtered: 2 } }],
    ['afd-detail', { command: 'math__get-sum' }, { data: [{ found: true }] }],
    ['afd-call', { command: 'math__get-sum' }, { success: true }],
    ['afd-batch', { commands: [{ command: 'math__get-sum' }] }, { results: [{ result: { success: true } }] }],
    ['afd-pipe', { steps: [{ command: 'math__get-sum' }] }, { success: true }],
  ])('answers %s under lazy while the servers are still starting', async (name, args, expected) => {
    expect(await open('lazy').call(name, args, requestOf('one'))).toMatchObject(expected)
  })

  it('names the servers that are still starting in the answer to afd-discover', async () => {
    const sources = [{ ...scriptedSource('deaf', []), info: () => ({ state: 'starting' as const }) }]
    const { reasoning } = await open('lazy', sources).call('afd-discover', {}, requestOf('one'))
    expect(reasoning).toBe(
      "Returned 0 of 0 matching commands (0 total). Still starting: 'deaf'; ask again in a moment.",
    )
  })
})
