// Test fixture: arguments that are unusual, circular, very deep or very large, or that throw when they are read.

const circle: Record<string, unknown> = { a: 1 }
circle.self = circle

function deep(levels: number): unknown {
  let value: unknown = 'end'
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { value }
  return value
}

// Each object refers twice to the previous one, so there are two to the sixtieth paths through the last one.
const web: Record<string, unknown>[] = [{}]
for (let n = 0; n < 60; n++) web.push({ left: web[n], right: web[n] })

export const hostileInputs: readonly (readonly [name: string, input: unknown])[] = [
  ['nothing', undefined],
  ['null', null],
  ['a bigint', 1n],
  ['a bigint inside', { n: 1n }],
  ['a symbol', Symbol('x')],
  ['a function', () => {}],
  ['numbers that JSON cannot express', { n: Number.NaN, i: Number.POSITIVE_INFINITY, z: -0 }],
  ['a circle', circle],
  ['a web of two to the sixtieth paths', web[60]],
  ['100,000 levels', deep(100_000)],
  ['a string of ten million characters', { text: 'é'.repeat(10_000_000) }],
  ['a key of ten megabytes', { ['k'.repeat(10_000_000)]: 1 }],
  ['a hundred thousand keys', Object.fromEntries(Array.from({ length: 100_000 }, (_, n) => [`key${n}`, n]))],
  ['a million items', Array.from({ length: 1_000_000 }, (_, n) => n)],
  ['a list with a billion holes', new Array(1_000_000_000)],
  ['a prototype', JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1, "toString": {"a": 1}}')],
  ['no prototype', Object.assign(Object.create(null), { a: 1 })],
  ['a getter that throws', Object.defineProperty({ a: 1 }, 'b', { enumerable: true, get: refuse })],
  ['a toJSON that throws', { toJSON: refuse }],
  ['a proxy that throws', new Proxy({}, { ownKeys: refuse })],
  ['a revoked proxy', revoked()],
  ['halves of surrogate pairs', { '\ud83d': '\udc00', a: '\u0000\n"\\' }],
]

function refuse(): never {
  throw new Error('cannot be read')
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
