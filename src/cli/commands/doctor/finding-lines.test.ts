import { expect, it } from 'vitest'
import { createPaint } from '../../output/output.ts'
import { findingLines, notListedText, slowStartWarnings } from './finding-lines.ts'

it.each([
  ['shared', '  one process or connection for all people'],
  ['perPrincipal', '  one process or connection for each person'],
] as const)('a server whose sharing is %s is shown as %j', (sharing, line) => {
  const finding = { server: 'files', ok: true, transport: 'stdio', sharing, target: 'npx files', faults: [] } as const
  const output = { paint: createPaint(false), isVerbose: false, wrap: (text: string) => [text] }
  expect(findingLines(finding, output)).toContain(line)
})

it('notes that the first call waits for a server that starts slowly, and how to keep the server running', () => {
  expect(slowStartWarnings(19_900)).toEqual([
    'it takes 20 s to start, and the first call waits that long; `idleMs: 0` in its config keeps it running afterwards',
  ])
})

it('notes nothing about a server that starts within ten seconds', () => {
  expect(slowStartWarnings(10_000)).toEqual([])
})

it.each([
  [{ kind: 'refused', reason: 'the database\nis locked' }, ': the database is locked'],
  [
    { kind: 'lost', reason: 'the connection was closed', taken: true, isSessionOver: true },
    ': the connection was closed',
  ],
  [{ kind: 'late', afterMs: 30_000 }, ' in 30.0 s'],
  [{ kind: 'capability-missing', capability: 'sampling' }, ": it needs a client with the capability 'sampling'"],
  [{ kind: 'asked' }, ''],
] as const)('the problem of a server that did not list its tools has the reason in %j', (listed, reason) => {
  expect(notListedText(listed)).toBe(`it started, but did not list its tools${reason}`)
})
