// Mutates real texts: parts are removed, repeated or exchanged, and parts that parsers often get wrong are inserted.

import fc from 'fast-check'

/** Parts that have broken parsers before. */
const PARTS: readonly string[] = [
  '__proto__',
  '"constructor":{"prototype":{"polluted":1}}',
  '{',
  '}',
  '[',
  ']',
  '"',
  '\\',
  '\\ud800',
  '\ud800',
  '\u0000',
  '\u202e',
  '\u{e0041}',
  '\n',
  '\r\n',
  'null',
  'true',
  '-0',
  '1e999',
  '9007199254740993',
  '1.0000000000000000001',
  `$\{HOME}`,
  '$prev',
  '$steps[0]',
  '/(a+)+$/',
  '!',
  '*',
  '**',
  '..',
  '\ufeff',
  '#',
  '//',
  '/*',
  '---',
  '&a',
  '*a',
  '<<: *a',
  '[['.repeat(50),
  '{"a":'.repeat(200),
  'x'.repeat(10_000),
]

interface Mutation {
  readonly kind: 'remove' | 'repeat' | 'insert' | 'replace' | 'exchange'
  /** The start of the mutated part: 0 is the start of the text, 1 is its end. */
  readonly startFraction: number
  readonly length: number
  readonly part: string
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom('remove', 'repeat', 'insert', 'replace', 'exchange'),
  startFraction: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.nat(40),
  part: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...PARTS) }, fc.string({ unit: 'binary', maxLength: 8 })),
})

/** A text of the corpus with up to `maxMutations` mutations, or in one of 21 cases a random text. */
export function mutated(corpus: readonly string[], maxMutations = 6): fc.Arbitrary<string> {
  const texts = fc
    .tuple(fc.constantFrom(...corpus), fc.array(mutation, { maxLength: maxMutations }))
    .map(([text, mutations]) => mutations.reduce(mutate, text))
  return fc.oneof({ weight: 20, arbitrary: texts }, { weight: 1, arbitrary: fc.string({ unit: 'binary' }) })
}

function mutate(text: string, { kind, startFraction, length, part }: Mutation): string {
  const start = Math.floor(startFraction * text.length)
  const [before, middle, after] = [text.slice(0, start), text.slice(start, start + length), text.slice(start + length)]
  switch (kind) {
    case 'remove':
      return before + after
    case 'repeat':
      return before + middle + middle + after
    case 'insert':
      return before + part + middle + after
    case 'replace':
      return before + part + after
    case 'exchange':
      return after + middle + before
  }
}
