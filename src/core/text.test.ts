import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cutAtSentence, cutLongText, decodeText, firstSentence, groupDigits, quoteList, showValue } from './text.ts'

// Includes emoji, so that cuts often fall inside surrogate pairs.
const wellFormedText = fc.string({ unit: 'binary' })
const sentences = fc
  .array(fc.constantFrom('a', '.', ' ', '\n', '😀', 'é', 'word'), { maxLength: 60 })
  .map((p) => p.join(''))
const anyText = fc.oneof(wellFormedText, sentences)
const anyMax = fc.integer({ min: 1, max: 80 })

function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text)
}

describe('firstSentence', () => {
  it('returns the first sentence without its full stop if another sentence follows', () => {
    expect(firstSentence('Creates an order. Charges the card at once.')).toBe('Creates an order')
  })

  it('keeps a full stop inside a number or a file name', () => {
    expect(firstSentence('Reads v1.2 of package.json')).toBe('Reads v1.2 of package.json')
  })

  it('does not end the sentence after the number of a list item, and ends it after any other number', () => {
    expect(firstSentence('1. search_tools finds tools. Then run one.')).toBe('1. search_tools finds tools')
    expect(firstSentence('Step 12. Run it.')).toBe('Step 12')
  })

  it('does not end the sentence after the number of a list item on a later line', () => {
    expect(firstSentence('Purpose:\n  1. Reads the objects of one type.\n\nUsage:\n  1. Ask first.')).toBe(
      'Purpose: 1. Reads the objects of one type.',
    )
  })

  it.each([
    ['todo: adds and removes.\n- add: Adds one.\n- remove: Removes one.', 'todo: adds and removes'],
    ['Actions on todo:\nadd(title): Adds one.\nremove(id): Removes one.', 'all'],
    [
      'Actions:\r\n- add: Adds one.\r\n- remove: Removes one.\r\n\r\nMore.',
      'Actions: - add: Adds one. - remove: Removes one.',
    ],
    ['- add: Adds one.\n- remove: Removes one.', 'all'],
    ['1. Adds one.\n2. Removes one.', 'all'],
    ['Adds one. Notes:\n- Slow.\n- New.', 'Adds one'],
    ['Note:\nAdds one. Slow.', 'Note: Adds one'],
    ['Adds one to\nthe list. Slow.', 'Adds one to the list'],
  ])('counts a list as one sentence up to a blank line, but not other text of several lines: %j', (text, summary) => {
    expect(firstSentence(text)).toBe(summary === 'all' ? text.replaceAll('\n', ' ') : summary)
  })

  it('marks the cut if a list is too long', () => {
    expect(firstSentence('Actions:\n- add: Adds one.\n- remove: Removes one.', 30)).toBe(
      'Actions: - add: Adds one. - r…',
    )
  })

  it('joins lines and runs of spaces into one line', () => {
    expect(firstSentence('  Creates\n\tan   order\r\n')).toBe('Creates an order')
  })

  it('returns an empty text for text without words', () => {
    expect(firstSentence('')).toBe('')
    expect(firstSentence(' \n ')).toBe('')
  })

  it('cuts at 120 characters by default, and marks the cut', () => {
    const cut = firstSentence('x'.repeat(500))
    expect(cut).toHaveLength(120)
    expect(cut.endsWith('…')).toBe(true)
  })

  it('returns one line of at most `max` characters', () => {
    fc.assert(
      fc.property(anyText, anyMax, (text, max) => {
        const short = firstSentence(text, max)
        expect(short.length).toBeLessThanOrEqual(max)
        expect(short).not.toMatch(/[\n\r\t]/)
      }),
    )
  })

  it('reads only the start of a long text', () => {
    const timeFor = (text: string) => {
      const start = performance.now()
      for (let round = 0; round < 200; round++) firstSentence(text)
      return performance.now() - start
    }
    const short = 'word\n'.repeat(200)
    const long = short.repeat(1_000)
    timeFor(short)
    expect(timeFor(long)).toBeLessThan(timeFor(short) * 50 + 20)
    expect(firstSentence(long)).toBe(firstSentence(short))
  })

  it('marks the cut of a text that continues after thousands of spaces', () => {
    expect(firstSentence(`${' '.repeat(10_000)}One${' '.repeat(10_000)}two`)).toBe('One …')
  })

  it('never splits a surrogate pair', () => {
    fc.assert(fc.property(anyText, anyMax, (text, max) => !hasLoneSurrogate(firstSentence(text, max))))
    expect(firstSentence('😀😀😀', 4)).toBe('😀…')
  })
})

describe('cutAtSentence', () => {
  it('keeps short text complete, on one line', () => {
    expect(cutAtSentence(' One.\nTwo. ', 20)).toBe('One. Two.')
  })

  it('cuts after the last whole sentence that fits', () => {
    expect(cutAtSentence('Creates an order. Charges the card. Sends a mail to the customer.', 40)).toBe(
      'Creates an order. Charges the card.…',
    )
  })

  it('cuts after a word if the first sentence is too long or too short', () => {
    expect(cutAtSentence('Creates an order and charges the card of the customer', 30)).toBe(
      'Creates an order and charges…',
    )
    expect(cutAtSentence('Note. Creates an order and charges the card', 30)).toBe('Note. Creates an order and…')
  })

  it('does not take an abbreviation for the end of a sentence', () => {
    expect(cutAtSentence('The path of the file (e.g. README.md) or of a folder', 40)).toBe(
      'The path of the file (e.g. README.md)…',
    )
  })

  it('never exceeds the limit, marks each cut, and never splits a surrogate pair', () => {
    fc.assert(
      fc.property(anyText, anyMax, (text, max) => {
        const cut = cutAtSentence(text, max)
        const whole = text.replace(/\s+/g, ' ').trim()
        expect(cut.length).toBeLessThanOrEqual(max)
        expect(hasLoneSurrogate(cut)).toBe(false)
        if (whole.length <= max && text.length <= max) expect(cut).toBe(whole)
        else if (cut !== whole) expect(cut.endsWith('…')).toBe(true)
      }),
    )
  })
})

describe('cutLongText', () => {
  it('does not change text that fits', () => {
    fc.assert(fc.property(anyText, (text) => cutLongText(text, text.length) === text))
  })

  it('keeps the start of longer text and marks the cut', () => {
    fc.assert(
      fc.property(anyText, anyMax, (text, max) => {
        fc.pre(text.length > max)
        const cut = cutLongText(text, max)
        expect(cut.length).toBeLessThanOrEqual(max)
        expect(cut.at(-1)).toBe('…')
        expect(text.startsWith(cut.slice(0, -1))).toBe(true)
      }),
    )
  })

  it('returns an empty text for a limit of 0', () => {
    expect(cutLongText('order', 0)).toBe('')
  })
})

describe('quoteList', () => {
  it('quotes each name', () => {
    expect(quoteList(['a', 'b'])).toBe("'a', 'b'")
    expect(quoteList([])).toBe('')
  })

  it('shows an invisible character as an escape', () => {
    expect(quoteList(['read\u202efile'])).toBe("'read\\u{202e}file'")
  })

  it('shows the number of names that it leaves out', () => {
    expect(quoteList(['a', 'b', 'c'], 3)).toBe("'a', 'b', 'c'")
    expect(quoteList(['a', 'b', 'c'], 2)).toBe("'a', 'b' and 1 more")
    expect(quoteList(Array.from({ length: 24 }, () => 'x'))).toMatch(/ and 4 more$/)
  })
})

describe('decodeText', () => {
  it('reads UTF-8 and UTF-16, and removes the byte order mark', () => {
    const text = '{"name":"grüße"}'
    expect(decodeText(Buffer.from(text))).toBe(text)
    expect(decodeText(Buffer.from(`\ufeff${text}`))).toBe(text)
    expect(decodeText(Buffer.from(`\ufeff${text}`, 'utf16le'))).toBe(text)
    expect(decodeText(Buffer.from(`\ufeff${text}`, 'utf16le').swap16())).toBe(text)
    expect(decodeText(Buffer.alloc(0))).toBe('')
  })
})

describe('showValue', () => {
  it.each([
    ['soon', "'soon'"],
    ['', "''"],
    [99_999, '99999'],
    [Number.NaN, 'NaN'],
    [10n, '10n'],
    [true, 'true'],
    [undefined, 'nothing'],
    [null, 'null'],
    [[1], 'an array'],
    [{ secret: 1 }, 'an object'],
    [() => {}, 'a function'],
    [Symbol('x'), 'Symbol(x)'],
  ])('shows %o as %s', (value, text) => {
    expect(showValue(value)).toBe(text)
  })

  it('gives a short text for any value without throwing', () => {
    const throwing = {
      toString() {
        throw new Error('no')
      },
    }
    for (const value of [throwing, Object.create(null), 'x'.repeat(1_000_000), 10n ** 1_000n]) {
      expect(showValue(value).length).toBeLessThan(100)
    }
    fc.assert(fc.property(fc.anything(), (value) => showValue(value).length > 0))
  })
})

it.each([
  [0, '0'],
  [999, '999'],
  [2169, '2,169'],
  [1234567, '1,234,567'],
])('groups the digits of %i as %j', (count, text) => {
  expect(groupDigits(count)).toBe(text)
})
