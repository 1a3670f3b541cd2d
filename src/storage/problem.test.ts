import { expect, it } from 'vitest'
import { createOutage, type StorageProblem } from './problem.ts'

it('reports each kind of problem when it begins, and again only after it ended and a minute has passed', () => {
  const time = { now: 0 }
  const reports: string[] = []
  const outage = createOutage(
    ({ kind }) => reports.push(kind),
    () => time.now,
  )
  const fail = (kind: StorageProblem['kind']) => outage.failed({ kind, path: 'p', message: 'm' })

  fail('unwritable')
  fail('unwritable')
  fail('unrotated')
  expect(reports).toEqual(['unwritable', 'unrotated'])
  outage.worked()
  fail('unwritable')
  expect(reports).toHaveLength(2)
  time.now = 60_000
  fail('unwritable')
  expect(reports).toHaveLength(2)
  outage.worked()
  fail('unwritable')
  expect(reports).toEqual(['unwritable', 'unrotated', 'unwritable'])
})
