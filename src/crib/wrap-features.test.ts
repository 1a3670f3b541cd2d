import { expect, it, onTestFinished } from 'vitest'
import type { CallOutcome } from '../sources/upstream/call-outcome.ts'
import { fixture, sourceOf } from '../sources/upstream/upstream.fixture.ts'
import { createWrapFeatures, createWrapRoots } from './wrap-features.ts'

const REFUSED: CallOutcome = { kind: 'refused', reason: 'no such resource' }
const ANSWERED: CallOutcome = { kind: 'answered', result: {} }

/** Opens the features of a server. `answers` has a function for each subscription, which answers it. */
async function open() {
  const { source } = sourceOf(fixture('shelf'))
  const manifest = await source.refresh(AbortSignal.timeout(10_000))
  const answers: ((outcome: CallOutcome) => void)[] = []
  const features = createWrapFeatures({
    source: {
      ...source,
      watch: () => new Promise((resolve) => void answers.push(resolve)),
      unwatch: async () => ANSWERED,
    },
    manifest: { ...manifest, capabilities: { resources: { subscribe: true } } },
    roots: createWrapRoots({ onChange() {} }),
    onProblem() {},
  })
  onTestFinished(() => features[Symbol.asyncDispose]())
  return { features, answers }
}

it('keeps a subscription if an earlier request for the same resource is refused later', async () => {
  const { features, answers } = await open()
  const first = features.updates?.watch('demo://shared')
  await features.updates?.unwatch('demo://shared')
  const second = features.updates?.watch('demo://shared')
  answers[1]?.(ANSWERED)
  expect(await second).toMatchObject({ ok: true })
  answers[0]?.(REFUSED)
  expect(await first).toMatchObject({ ok: false })
  features.restore()
  expect(answers).toHaveLength(3)
})

it('asks again for a resource after the server has refused the first subscription', async () => {
  const { features, answers } = await open()
  const first = features.updates?.watch('demo://shared')
  answers[0]?.(REFUSED)
  expect(await first).toMatchObject({ ok: false })
  void features.updates?.watch('demo://shared')
  expect(answers).toHaveLength(2)
})
