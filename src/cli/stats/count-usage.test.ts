import { describe, expect, it } from 'vitest'
import { loadTokenCounter } from '../../core/tokens.ts'
import { countAbout } from './count-usage.ts'

const count = await loadTokenCounter()

describe('countAbout', () => {
  it('counts an answer of usual length exactly', () => {
    const text = 'One line of an answer, with 12,345 in it.\n'.repeat(700)
    expect(countAbout(text, count)).toBe(count(text))
  })

  it('looks at little of a very long one, and comes near', () => {
    const half = 'Words and words. '.repeat(60_000)
    const text = `${half}${'{"a":[1,2,3]},'.repeat(60_000)}`
    let looked = 0
    const about = countAbout(text, (part) => {
      looked += part.length
      return count(part)
    })
    expect(looked).toBeLessThan(text.length / 20)
    expect(about / count(text)).toBeGreaterThan(0.9)
    expect(about / count(text)).toBeLessThan(1.1)
  })
})
