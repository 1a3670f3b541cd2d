import { describe, expect, it } from 'vitest'
import { stem } from './stem.ts'
import { ASKING_STEMS, SCENE_STEMS } from './weak-words.ts'

describe('weak words', () => {
  it('recognizes weak words by their stems, and no other words', () => {
    for (const word of ['looking', 'possibly', 'recommendation', 'planned'])
      expect(ASKING_STEMS.has(stem(word))).toBe(true)
    for (const word of ['friends', 'yesterday', 'completely']) expect(SCENE_STEMS.has(stem(word))).toBe(true)
    for (const word of ['invoice', '', 'friend', 'ünder']) expect(ASKING_STEMS.has(stem(word))).toBe(false)
  })
})
