// npm run bench:detail: afd-detail for one of 500 commands against a Map lookup and JSON.stringify of the same answer.

import { toWire } from '../src/front/wire.ts'
import { manyCommands } from '../test/fixtures/many-commands.ts'
import { report } from './report.ts'
import { serverOf } from './serve.ts'
import { median } from './speed/figures.ts'

const ROUNDS = 30
const WARM_UP_ROUNDS = 5
const CALLS = 2_000

const commands = manyCommands(500)
const { crib } = serverOf(commands, 'lazy')
const names = commands.map((command) => command.name)
const request = {
  caller: { principal: 'bench', era: 'direct', transport: 'direct' },
  signal: new AbortController().signal,
} as const
const answerOf = (name: string) => crib.call('afd-detail', { command: name }, request)
const answers = new Map<string, unknown>()
for (const name of names) answers.set(name, await answerOf(name))

/** The whole call: from the arguments to the text of the response. */
async function detail(): Promise<number> {
  let length = 0
  for (let index = 0; index < CALLS; index++) {
    const { content } = toWire('afd-detail', await answerOf(names[(index * 7) % names.length] ?? ''))
    length += content[0]?.type === 'text' ? content[0].text.length : 0
  }
  return length
}

/** The minimal work. It is async too, so that both wait for a promise in each call. */
async function lookup(): Promise<number> {
  let length = 0
  const find = async (name: string) => answers.get(name)
  for (let index = 0; index < CALLS; index++) {
    length += JSON.stringify(await find(names[(index * 7) % names.length] ?? '')).length
  }
  return length
}

async function time(work: () => Promise<number>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return ((performance.now() - startedAt) / CALLS) * 1_000
}

const ratios: number[] = []
const times = { detail: [] as number[], lookup: [] as number[] }
for (let round = 0; round < ROUNDS; round++) {
  // The two take turns, so that warm-up and other load affect both.
  const [first, second] = round % 2 === 0 ? (['detail', 'lookup'] as const) : (['lookup', 'detail'] as const)
  const measured = { [first]: await time(first === 'detail' ? detail : lookup) } as Record<string, number>
  measured[second] = await time(second === 'detail' ? detail : lookup)
  // During the first rounds the code is compiled.
  if (round < WARM_UP_ROUNDS) continue
  times.detail.push(measured.detail ?? 0)
  times.lookup.push(measured.lookup ?? 0)
  ratios.push((measured.detail ?? 0) / (measured.lookup ?? 1))
}
const round = (value: number) => Math.round(value * 100) / 100

report(
  'detail',
  'afd-detail for one of 500 commands (microseconds, median of 25 rounds of 2,000 calls)',
  [
    { what: 'afd-detail, arguments to text', us: round(median(times.detail)) },
    { what: 'Map lookup + JSON.stringify', us: round(median(times.lookup)) },
  ],
  // Rounded up, so that the printed ratio is within the limit only if the exact ratio is.
  [{ what: 'ratio', value: Math.ceil(median(ratios) * 100) / 100, max: 3 }],
)
