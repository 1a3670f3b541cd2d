import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../config/temp-folder.fixture.ts'
import { readJsonArguments, readPairs } from './read-arguments.ts'

const schema = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    count: { type: 'integer' },
    ratio: { type: 'number' },
    force: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    ids: { type: 'array', items: { type: 'integer' } },
    state: { enum: ['open', 'closed'] },
    level: { enum: [1, 2, 3] },
    only: { const: true },
    mixed: { enum: [1, 'auto', false, null] },
    levels: { type: 'array', items: { enum: [1, 2] } },
    limit: { anyOf: [{ enum: [0, null] }, { type: 'boolean' }] },
    either: { anyOf: [{ type: 'integer' }, { type: 'string' }] },
    maybe: { type: ['string', 'null'] },
    options: { type: 'object', properties: { depth: { type: 'integer' } } },
    'with.dot': { type: 'string' },
  },
}

const tool = { schema, name: 'notes:add', hint: 'Look it up.' }

describe('key=value words', () => {
  it.each([
    ['text=12', { text: '12' }],
    ['text=a=b', { text: 'a=b' }],
    ['text=', { text: '' }],
    ['count=12', { count: 12 }],
    ['ratio=0.5', { ratio: 0.5 }],
    ['force=true', { force: true }],
    ['tags=a,b', { tags: ['a', 'b'] }],
    ['tags=["a,b"]', { tags: ['a,b'] }],
    ['ids=1,2', { ids: [1, 2] }],
    ['state=open', { state: 'open' }],
    ['level=2', { level: 2 }],
    ['only=true', { only: true }],
    ['mixed=1', { mixed: 1 }],
    ['mixed=auto', { mixed: 'auto' }],
    ['mixed=false', { mixed: false }],
    ['mixed=null', { mixed: null }],
    ['levels=1,2', { levels: [1, 2] }],
    ['either=7', { either: 7 }],
    ['either=seven', { either: 'seven' }],
    ['maybe=null', { maybe: null }],
    ['options={"depth":2}', { options: { depth: 2 } }],
    ['options.depth=3', { options: { depth: 3 } }],
    ['with.dot=x', { 'with.dot': 'x' }],
    ['unknown=5', { unknown: 5 }],
    ['text:={"a":1}', { text: { a: 1 } }],
    ['count=9007199254740992', { count: 9007199254740992 }],
    ['count=-1e20', { count: -1e20 }],
  ])('the word %s is converted to the type in the schema, or read as JSON', (word, expected) => {
    expect(readPairs([word], tool)).toEqual(expected)
  })

  it.each([
    ['either=9007199254740993', { either: '9007199254740993' }],
    ['unknown=9007199254740993', { unknown: '9007199254740993' }],
    ['unknown=1e999', { unknown: '1e999' }],
  ])('the word %s stays a text, because a number would have another value', (word, expected) => {
    expect(readPairs([word], tool)).toEqual(expected)
  })

  it('key=value words become a list if the same key is given twice', () => {
    expect(readPairs(['tags=a', 'tags=b', 'ids=1', 'ids=2,3'], tool)).toEqual({ tags: ['a', 'b'], ids: [1, 2, 3] })
  })

  it.each([
    [
      'count=many',
      "Invalid input for 'notes:add': Field 'count': expected a whole number, received 'many'. Look it up.",
    ],
    ['count=1.5', "'count': expected a whole number"],
    [
      'count=9007199254740993',
      "'count': expected a whole number, received '9007199254740993', which is too large to be exact",
    ],
    ['count=-9007199254740993', "received '-9007199254740993', which is too large to be exact"],
    ['ratio=1e999', "'ratio': expected a number, received '1e999', which is too large to be exact"],
    ['ids=1,9007199254740993', "'ids': expected a list"],
    ['count:=9007199254740993', 'count:= takes JSON, and the number 9007199254740993 is too large to be exact'],
    ['level=9', "'level': expected one of 1, 2, 3, received '9'"],
    ['only=false', "'only': expected true, received 'false'"],
    ['limit=9', "'limit': expected one of 0, null or true or false, received '9'"],
    ['force=perhaps', "'force': expected true or false"],
    ['options=x', "'options': expected an object, as JSON"],
    ['text:={', 'text:= takes JSON'],
    ['lonely', "'lonely' is not a key=value pair"],
  ])('the word %s is refused with a reason', (word, reason) => {
    expect(() => readPairs([word], tool)).toThrow(reason)
  })

  it('key=value words cannot change a prototype', () => {
    const args = readPairs(['__proto__={"a":1}', 'constructor.prototype.x=1'], tool)
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype)
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })
})

it('reads the arguments as JSON from the command line, and refuses a value that is not an object', async () => {
  expect(await readJsonArguments('{"a":1}', '.')).toEqual({ a: 1 })
  await expect(readJsonArguments('7', '.')).rejects.toThrow('--args is not a JSON object')
})

it.each(['utf8', 'utf16le'] as const)('reads an arguments file in %s with a byte order mark', async (encoding) => {
  const folder = tempFolder()
  writeFileSync(folder.at('args.json'), Buffer.from('\ufeff{"text":"grüße"}', encoding))
  expect(await readJsonArguments('@args.json', folder.path)).toEqual({ text: 'grüße' })
})

it('names a file of --args that does not exist as it was typed', async () => {
  await expect(readJsonArguments('@nofile.json', tempFolder().path)).rejects.toThrow("'nofile.json' does not exist")
})
