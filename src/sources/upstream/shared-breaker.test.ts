import { expect, it, onTestFinished } from 'vitest'
import { createMemoryStore } from '../../storage/memory.ts'
import { createSharedBreaker } from './shared-breaker.ts'

it('tells the listeners of a server that another gateway cannot reach it, until they unsubscribe', async () => {
  const store = createMemoryStore()
  const [one, two] = [createSharedBreaker(store), createSharedBreaker(store)]
  onTestFinished(() => {
    one.dispose()
    two.dispose()
  })
  const told: [string, string | undefined][] = []
  const stop = two.follow('notes', (failure) => told.push(['first', failure?.message]))
  two.follow('notes', (failure) => told.push(['second', failure?.message]))
  two.follow('other', () => told.push(['other', undefined]))
  const message = 'another gateway could not reach it: it is down'
  one.failed('notes', { reason: 'it is down', waitMs: 5_000, failures: 2 })
  await expect
    .poll(() => told)
    .toEqual([
      ['first', message],
      ['second', message],
    ])
  expect(await two.read('notes')).toMatchObject({ failures: 2 })
  // A gateway does not wait because of its own report.
  expect(await one.read('notes')).toBeUndefined()
  stop()
  one.works('notes')
  await expect.poll(() => told.slice(2)).toEqual([['second', undefined]])
})
