import { describe, expect, it } from 'vitest'
import { stem } from './stem.ts'
import { ASKING_WORDS, SCENE_WORDS } from './weak-words.ts'

describe('weak words', () => {
  it('recognizes weak words by their stems, and no other words', () => {
    for (const word of ['looking', 'possibly', 'recommendation', 'planned'])
      expect(ASKING_WORDS.has(stem(word))).toBe(true)
    for (const word of ['friends', 'yesterday', 'completely']) expect(SCENE_WORDS.has(stem(word))).toBe(true)
    for (const word of ['invoice', '', 'friend', 'ünder']) expect(ASKING_WORDS.has(stem(word))).toBe(false)
  })
})
