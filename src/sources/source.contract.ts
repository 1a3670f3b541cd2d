// The contract tests that every source must pass.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ToolEntry } from '../core/tool.ts'
import { contextOf } from './source.fixture.ts'
import type { ToolSource } from './source.ts'

/** A source for one test of `sourceContract`. */
export interface SourceUnderTest {
  /** An opened source. The suite closes it after each test. */
  readonly source: ToolSource
  /** A tool of the source, a valid input, and the data that the tool returns for this input. */
  readonly sample: { readonly name: string; readonly input: unknown; readonly data: unknown }
  /** Adds one tool to the list, if the source can change. */
  change?(): Promise<void> | void
}

/**
 * Defines the tests that every source must pass. `create` is called for each test.
 *
 * @example
 * ```ts
 * sourceContract('clock', () => ({
 *   source: clock.open({ id: 'clock' }),
 *   sample: { name: 'now', input: { timeZone: 'UTC' }, data: expect.anything() },
 * }))
 * ```
 */
export function sourceContract(name: string, create: () => Promise<SourceUnderTest> | SourceUnderTest): void {
  describe(`${name} keeps the source contract`, () => {
    const { signal } = new AbortController()
    let subject: SourceUnderTest
    beforeEach(async () => {
      subject = await create()
    })
    afterEach(async () => {
      await subject.source[Symbol.asyncDispose]()
    })

    const sampleEntry = async (): Promise<ToolEntry> => {
      const entry = (await subject.source.list(signal)).find((one) => one.name === subject.sample.name)
      if (entry === undefined) throw new Error(`The source does not list its sample tool '${subject.sample.name}'.`)
      return entry
    }

    it('lists tools with a name, a description and an object as input', async () => {
      const entries = await subject.source.list(signal)
      expect(entries.length).toBeGreaterThan(0)
      for (const entry of entries) {
        expect(entry.name).not.toBe('')
        expect(entry.description).not.toBe('')
        expect(entry.inputSchema.type).toBe('object')
      }
    })

    it('lists no name twice', async () => {
      const names = (await subject.source.list(signal)).map((entry) => entry.name)
      expect(new Set(names).size).toBe(names.length)
    })

    it('lists the same tools in the same order if nothing has changed', async () => {
      const before = JSON.stringify(await subject.source.list(signal))
      expect(JSON.stringify(await subject.source.list(signal))).toBe(before)
    })

    it('lists schemas and traits that can be serialized as JSON', async () => {
      for (const { inputSchema, traits } of await subject.source.list(signal)) {
        expect(JSON.parse(JSON.stringify({ inputSchema, traits }))).toEqual({ inputSchema, traits })
      }
    })

    it('accepts a valid input and calls the tool with it by name', async () => {
      const { name, input, data } = subject.sample
      const checked = await (await sampleEntry()).validate(input)
      if (!checked.ok) throw new Error('The source refuses the input of its own sample.')
      expect(await subject.source.call(name, checked.value, contextOf())).toMatchObject({ success: true, data })
    })

    it('returns issues for an input that is not an object', async () => {
      const checked = await (await sampleEntry()).validate(17)
      expect(checked.ok).toBe(false)
      if (!checked.ok) expect(checked.issues.length).toBeGreaterThan(0)
    })

    it('rejects a call of an unknown name', async () => {
      for (const name of ['no-such-tool', '', '__proto__', 'constructor']) {
        await expect(subject.source.call(name, {}, contextOf())).rejects.toThrow()
      }
    })

    it('notifies listeners of a change until they unsubscribe', async () => {
      const { source, change } = subject
      if (source.onChange === undefined || change === undefined) return
      const before = (await source.list(signal)).length
      let [subscribed, unsubscribed] = [0, 0]
      source.onChange(() => subscribed++)
      const stop = source.onChange(() => unsubscribed++)
      stop()
      stop()
      await change()
      expect({ subscribed, unsubscribed }).toEqual({ subscribed: 1, unsubscribed: 0 })
      expect(await source.list(signal)).toHaveLength(before + 1)
    })

    it('does nothing when it is disposed a second time', async () => {
      await subject.source[Symbol.asyncDispose]()
      await subject.source[Symbol.asyncDispose]()
    })
  })
}
