// The contract tests of all sources.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ToolEntry } from '../core/tool.ts'
import { contextOf } from './source.fixture.ts'
import type { ToolSource } from './source.ts'

export interface SourceUnderTest {
  readonly source: ToolSource
  /** One of its tools, a valid input, and the data that the tool returns for it. */
  readonly sample: { readonly name: string; readonly input: unknown; readonly data: unknown }
  /** Adds one tool to the list, if the source can change. */
  change?(): Promise<void> | void
}

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
      if (entry === undefined) throw new Error(`It does not list its own sample '${subject.sample.name}'.`)
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
      const once = JSON.stringify(await subject.source.list(signal))
      expect(JSON.stringify(await subject.source.list(signal))).toBe(once)
    })

    it('lists schemas that can be serialized as JSON', async () => {
      for (const { inputSchema, traits } of await subject.source.list(signal)) {
        expect(JSON.parse(JSON.stringify({ inputSchema, traits }))).toEqual({ inputSchema, traits })
      }
    })

    it('accepts a valid input and calls the tool with it by name', async () => {
      const { name, input, data } = subject.sample
      const checked = await (await sampleEntry()).validate(input)
      if (!checked.ok) throw new Error('It refuses its own sample.')
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
      let [kept, dropped] = [0, 0]
      source.onChange(() => kept++)
      const stop = source.onChange(() => dropped++)
      stop()
      stop()
      await change()
      expect({ kept, dropped }).toEqual({ kept: 1, dropped: 0 })
      expect(await source.list(signal)).toHaveLength(before + 1)
    })

    it('can be disposed twice', async () => {
      await subject.source[Symbol.asyncDispose]()
      await subject.source[Symbol.asyncDispose]()
    })
  })
}
