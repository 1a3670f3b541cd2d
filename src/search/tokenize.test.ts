import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tokenize, tokenizeWords } from './tokenize.ts'

describe('tokenize', () => {
  it.each([
    ['order-create', ['order', 'create']],
    ['create_issue', ['create', 'issue']],
    ['listAllOrders', ['list', 'all', 'orders']],
    ['parseHTTPRequest', ['parse', 'http', 'request']],
    ['getURL', ['get', 'url']],
    ['URL', ['url']],
    ['S3Bucket', ['s', '3', 'bucket']],
    ['base64Encode', ['base', '64', 'encode']],
    ['sha256', ['sha', '256']],
    ['git:push/force.now', ['git', 'push', 'force', 'now']],
    ["Don't repeat: yourself!", ['don', 't', 'repeat', 'yourself']],
    ['Café Crème', ['cafe', 'creme']],
    ['ÉTAT', ['etat']],
    ['Straße', ['straße']],
    ['ﬁle', ['file']],
    ['İstanbul', ['istanbul']],
    ['заказСоздать', ['заказ', 'создать']],
    ['٣ items', ['٣', 'items']],
    ['创建订单', ['创建', '建订', '订单']],
    ['必应 搜索', ['必应', '搜索']],
    ['周', ['周']],
    ['データ', ['テー', 'ータ']],
    ['サーバー ｻｰﾊﾞｰ', ['サー', 'ーハ', 'ハー', 'サー', 'ーハ', 'ハー']],
    ['주문생성', ['주문', '문생', '생성']],
    ['API文档v2', ['api', '文档', 'v', '2']],
  ])('splits %j into %j', (text, terms) => {
    expect(tokenize(text)).toEqual(terms)
  })

  it.each(['创建订单', '注文を作成', '주문 생성', 'สร้าง', 'बनाएं', 'إنشاء'])('finds terms in %j', (text) => {
    expect(tokenize(text).length).toBeGreaterThan(0)
  })

  it('finds the same terms for composed and decomposed characters', () => {
    for (const text of ['Café', '注文が', '주문', 'Ångström']) {
      expect(tokenize(text.normalize('NFD'))).toEqual(tokenize(text.normalize('NFC')))
    }
  })

  it('returns nothing for a text without letters and digits', () => {
    for (const text of ['', '   ', '-_-', '!?…', '💥💥', '\u0000\u0007', '\ud800', '\u0301\u0301']) {
      expect(tokenize(text)).toEqual([])
    }
  })

  it('agrees with a slow version that walks over each character of an ASCII name', () => {
    const identifier = fc.string({ unit: fc.constantFrom('a', 'b', 'X', 'Y', '1', '2', '_', '-', ' ') })
    fc.assert(
      fc.property(identifier, (text) => {
        expect(tokenize(text)).toEqual(walk(text))
      }),
    )
  })

  it('returns lower-case terms without spaces, which cannot be split further', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const terms = tokenize(text)
        for (const term of terms) expect(term).toMatch(/^(\p{L}+|\p{N}+)$/u)
        expect(tokenize(terms.join(' '))).toEqual(terms)
      }),
    )
  })

  it('does not depend on case if a text has only one case', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'b', '-', '1', ' ') }), (text) => {
        expect(tokenize(text.toUpperCase())).toEqual(tokenize(text))
      }),
    )
  })

  it.each([
    ['one word', 'a'.repeat(100_000)],
    ['alternating case', 'aB'.repeat(50_000)],
    ['capitals', 'A'.repeat(100_000)],
    ['accents', '\u0301'.repeat(100_000)],
    ['accents out of their order', '\u0301\u0316'.repeat(50_000)],
    ['ligatures that become many letters', '\ufdfa'.repeat(20_000)],
    ['lone surrogates', '\ud800'.repeat(100_000)],
    ['spaces', ' '.repeat(100_000)],
    ['hyphens', '-'.repeat(100_000)],
    ['words', 'word '.repeat(20_000)],
  ])('takes less than 1 s for a long text of %s, and returns at most 2,000 terms', (_what, text) => {
    const startedAt = performance.now()
    expect(tokenize(text).length).toBeLessThanOrEqual(2_000)
    // Linear work takes a few milliseconds. Quadratic work takes seconds.
    expect(performance.now() - startedAt).toBeLessThan(1_000)
  })
})

/**
 * A slow and simple version for ASCII. Characters other than letters and digits separate terms. A term also ends between
 * a letter and a digit (`base|64`), between a lower-case letter and an upper-case letter after it (`list|All`), and
 * before the last of several upper-case letters if a lower-case letter follows it (`HTTP|Request`).
 */
function walk(text: string): string[] {
  const terms: string[] = []
  let term = ''
  const end = () => {
    if (term !== '') terms.push(term.toLowerCase())
    term = ''
  }
  for (let index = 0; index < text.length; index++) {
    const [before, now, after] = [kind(text.charAt(index - 1)), kind(text.charAt(index)), kind(text.charAt(index + 1))]
    if (now === 'none') {
      end()
      continue
    }
    const isDigitEdge = (before === 'digit') !== (now === 'digit')
    const isNewWord = now === 'upper' && (before === 'lower' || (before === 'upper' && after === 'lower'))
    if (isDigitEdge || isNewWord) end()
    term += text.charAt(index)
  }
  end()
  return terms
}

function kind(char: string): 'lower' | 'upper' | 'digit' | 'none' {
  if (char >= 'a' && char <= 'z') return 'lower'
  if (char >= 'A' && char <= 'Z') return 'upper'
  return char >= '0' && char <= '9' ? 'digit' : 'none'
}

describe('tokenizeWords', () => {
  it.each([
    ['getURL for S3', [['get', 'url'], ['for'], ['s', '3']]],
    ['create_issue', [['create'], ['issue']]],
    ['ÉtatCivil', [['etat', 'civil']]],
    ['', []],
  ])('groups the parts of each word of %j', (text, words) => {
    expect(tokenizeWords(text)).toEqual(words)
  })

  it('gives the same words for ASCII text if a letter outside of ASCII follows it', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'B', 'C', '1', '_', '-', ' ', '.') }), (text) => {
        expect(tokenizeWords(`${text} é`)).toEqual([...tokenizeWords(text), ['e']])
      }),
    )
  })
})
