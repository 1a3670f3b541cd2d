// What every source must do, wherever its tools come from.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ToolEntry } from '../core/tool.ts'
import { contextOf } from './source.fixture.ts'
import type { ToolSource } from './source.ts'

export interface SourceUnderTest {
  readonly source: ToolSource
  /** One of its tools, an input that the tool accepts, and the data it then gives. */
  readonly sample: { readonly name: string; readonly input: unknown; readonly data: unknown }
  /** Makes its list longer by one, where it can change. */
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

    it('lists named, described tools whose input is an object', async () => {
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

    it('lists the same tools in the same order when nothing changed', async () => {
      const once = JSON.stringify(await subject.source.list(signal))
      expect(JSON.stringify(await subject.source.list(signal))).toBe(once)
    })

    it('lists schemas that survive JSON', async () => {
      for (const { inputSchema, traits } of await subject.source.list(signal)) {
        expect(JSON.parse(JSON.stringify({ inputSchema, traits }))).toEqual({ inputSchema, traits })
      }
    })

    it('accepts a good input and calls the tool with it by name', async () => {
      const { name, input, data } = subject.sample
      const checked = await (await sampleEntry()).validate(input)
      if (!checked.ok) throw new Error('It refuses its own sample.')
      expect(await subject.source.call(name, checked.value, contextOf())).toMatchObject({ success: true, data })
    })

    it('refuses an input that is no object at all, as a value', async () => {
      const checked = await (await sampleEntry()).validate(17)
      expect(checked.ok).toBe(false)
      if (!checked.ok) expect(checked.issues.length).toBeGreaterThan(0)
    })

    it('rejects a call to a name it does not have', async () => {
      for (const name of ['no-such-tool', '', '__proto__', 'constructor']) {
        await expect(subject.source.call(name, {}, contextOf())).rejects.toThrow()
      }
    })

    it('tells its listeners of a change until they unsubscribe', async () => {
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

    it('is disposed twice without harm', async () => {
      await subject.source[Symbol.asyncDispose]()
      await subject.source[Symbol.asyncDispose]()
    })
  })
}
