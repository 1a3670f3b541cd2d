import { expect, it } from 'vitest'
import type { ServerConfig } from '../../config/server-config.ts'
import { infoOf } from './info.ts'
import type { Manifest } from './manifest.ts'

const config: ServerConfig = {
  name: 'inner',
  enabled: true,
  connection: { type: 'stdio', command: 'x', args: [], env: {} },
  origin: { source: 'config', file: 'config.json' },
}

function descriptionOf(instructions: string): string | undefined {
  const manifest: Pick<Manifest, 'instructions' | 'problems'> = { instructions, problems: [] }
  // The other fields of a manifest are not used for the description.
  return infoOf(config, manifest as Manifest, { state: 'known', since: 0 }).description
}

it.each([
  ['# Weather\n\nForecasts.', 'Weather'],
  ['1. search_tools finds tools.\n2. execute_tool runs one.', 'search_tools finds tools.'],
  ['1. First step.\n\nSearches the archive.', 'Searches the archive.'],
  ['- one\n- two', 'one'],
  ['  \n', undefined],
])('describes a server by its instructions %j as %j', (instructions, description) => {
  expect(descriptionOf(instructions)).toBe(description)
})
