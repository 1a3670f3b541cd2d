import { expect, it } from 'vitest'
import { setNewest } from './collections.ts'

it('deletes the oldest entry when the map is full, and a key that is set again becomes the newest', () => {
  const map = new Map<string, number>()
  setNewest(map, 'a', 1, 2)
  setNewest(map, 'b', 2, 2)
  setNewest(map, 'a', 3, 2)
  setNewest(map, 'c', 4, 2)
  expect([...map]).toEqual([
    ['a', 3],
    ['c', 4],
  ])
})
