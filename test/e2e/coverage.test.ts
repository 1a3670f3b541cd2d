// Every requirement is cited by a scenario, and every citation names a requirement.

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { requirements } from './requirements.ts'

const folder = new URL('.', import.meta.url)
const OWN_FILE = 'coverage.test.ts'

const citations = readdirSync(folder)
  .filter((name) => name.endsWith('.test.ts') && name !== OWN_FILE)
  .flatMap((file) => citedIn(readFileSync(new URL(file, folder), 'utf8')).map((id) => ({ file, id })))

describe('requirements', () => {
  it('have ids of their own', () => {
    const ids = requirements.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('are each cited by a scenario', () => {
    const cited = new Set(citations.map(({ id }) => id))
    expect(requirements.filter(({ id }) => !cited.has(id))).toEqual([])
  })

  it('exist wherever a scenario cites one', () => {
    const known = new Set(requirements.map(({ id }) => id))
    expect(citations.filter(({ id }) => !known.has(id))).toEqual([])
  })
})

describe('the scan', () => {
  it('reads every id of every call, over several lines too', () => {
    const text = "covers('A-1', 'B-2')\n  covers(\n    'C-3',\n  )\n  uncovers('D-4')"
    expect(citedIn(text)).toEqual(['A-1', 'B-2', 'C-3'])
  })
})

function citedIn(text: string): string[] {
  const calls = [...text.matchAll(/(?<!\w)covers\(([^)]*)\)/g)]
  return calls.flatMap(([, list = '']) => [...list.matchAll(/'([^']+)'/g)].map(([, id = '']) => id))
}
