// Checks that a scenario cites every requirement, and that every citation names a requirement.

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { cliRequirements } from './cli/requirements.ts'
import { gatewayRequirements } from './gateway/requirements.ts'
import { requirements } from './requirements.ts'
import { wrapRequirements } from './wrap/requirements.ts'

/** Each folder of scenarios has its own requirements. */
const suites = [
  { of: 'command servers', folder: './', known: requirements },
  { of: 'wrapping', folder: './wrap/', known: wrapRequirements },
  { of: 'the gateway', folder: './gateway/', known: gatewayRequirements },
  { of: 'the command line', folder: './cli/', known: cliRequirements },
]

describe.each(suites)('the requirements of $of', ({ folder, known }) => {
  const citations = citationsIn(new URL(folder, import.meta.url))

  it('every requirement has a scenario that cites it', () => {
    const cited = new Set(citations.map(({ id }) => id))
    expect(known.filter(({ id }) => !cited.has(id))).toEqual([])
  })

  it('every id that a scenario cites is a requirement', () => {
    const ids = new Set(known.map(({ id }) => id))
    expect(citations.filter(({ id }) => !ids.has(id))).toEqual([])
  })
})

describe('requirements', () => {
  it('no two requirements have the same id', () => {
    const ids = suites.flatMap(({ known }) => known.map(({ id }) => id))
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([])
  })
})

describe('the scan for citations', () => {
  it('the scan reads every id of every `covers` call, even if the call spans several lines', () => {
    const text = "covers('A-1', 'B-2')\n  covers(\n    'C-3',\n  )\n  uncovers('D-4')"
    expect(citedIn(text)).toEqual(['A-1', 'B-2', 'C-3'])
  })
})

function citationsIn(folder: URL): readonly { readonly file: string; readonly id: string }[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts') && name !== 'coverage.test.ts')
    .flatMap((file) => citedIn(readFileSync(new URL(file, folder), 'utf8')).map((id) => ({ file, id })))
}

function citedIn(text: string): string[] {
  const calls = [...text.matchAll(/(?<!\w)covers\(([^)]*)\)/g)]
  return calls.flatMap(([, list = '']) => [...list.matchAll(/'([^']+)'/g)].map(([, id = '']) => id))
}
