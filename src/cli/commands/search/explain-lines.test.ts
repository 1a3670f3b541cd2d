import { expect, it } from 'vitest'
import { takeSnapshot } from '../../../catalog/snapshot.ts'
import { createPaint } from '../../output/output.ts'
import { explainTools } from './explain-lines.ts'

const entry = {
  name: 'read_file',
  description: 'Reads a file.',
  inputSchema: { type: 'object' as const },
  traits: {},
  validate: (value: unknown) => ({ ok: true as const, value }),
}
const { tools } = takeSnapshot([{ sourceId: 'files', entries: [entry] }])

it.each([
  ['file', '   Why: the ranker does not explain its results'],
  ['read_*', '   Why: its name matches the pattern'],
])('search --explain gives the true reason for a hit of %j if the ranker has no explain', async (query, line) => {
  const found = tools.map((tool) => ({ tool, relevance: 1 }))
  const explained = await explainTools(found, query, { explain: async () => undefined })
  const output = { width: 80, paint: createPaint(false) }
  expect(found.flatMap((one) => explained.lines(one, 1, output))).toEqual([line])
})
