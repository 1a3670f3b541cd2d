// What must hold in every cell of the matrix: list, find, inspect, call, wrong name, wrong arguments, hidden tool.

import type { Client } from '@modelcontextprotocol/client'
import { expect, it } from 'vitest'
import type { Row, Step, Target } from './table.ts'

/** The checks of one strategy over one source, for a client of one transport in one era. */
export function checkCell(row: Row, target: Target, client: () => Client): void {
  const list = async () => (await client().listTools(undefined, { cacheMode: 'bypass' })).tools
  const call = async ([name, args]: Step) => {
    const { content, isError = false } = await client().callTool({ name, arguments: { ...args } })
    return { text: content.map((block) => (block.type === 'text' ? block.text : '')).join('\n'), isError }
  }
  const prepared = async () => {
    if (row.prepare !== undefined) await call(row.prepare(target))
  }

  it('lists its own tools, and of the others what it is to show', async () => {
    const tools = await list()
    const names = tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining([...row.own]))
    expect(names).not.toContain(target.hidden)
    const shown = tools.find(({ name }) => name === target.listed)
    expect(shown !== undefined).toBe(row.shows !== 'nothing')
    if (shown !== undefined) {
      expect(Object.keys(shown.inputSchema.properties ?? {}).length > 0).toBe(row.shows === 'schema')
    }
  })

  it('finds a tool, and never one that is hidden', async () => {
    const text = row.find === undefined ? JSON.stringify(await list()) : (await call(row.find(target))).text
    expect(text).toContain(row.strategy === 'grouped' ? target.action : nameIn(text, target))
    expect(text).not.toContain(target.hidden)
  })

  it('says what the tool takes', async () => {
    await prepared()
    const text = row.inspect === undefined ? JSON.stringify(await list()) : (await call(row.inspect(target))).text
    expect(text).toContain(target.parameter)
  })

  it('calls the tool', async () => {
    await prepared()
    const { text, isError } = await call(row.run(target.listed, target.input, target))
    expect(text).toContain(target.output)
    expect(isError).toBe(false)
  })

  it('suggests the right name for a wrong one', async () => {
    const { text, isError } = await call(row.run(target.wrong, target.input, target))
    expect(isError).toBe(true)
    expect(text).toMatch(/_NOT_FOUND|INVALID_GROUPED_CALL/)
    expect(text).toContain(row.strategy === 'grouped' ? target.action : nameIn(text, target))
  })

  it('names the field that is wrong with the arguments', async () => {
    await prepared()
    const { text, isError } = await call(row.run(target.listed, target.badInput, target))
    expect(isError).toBe(true)
    expect(text).toContain('VALIDATION_ERROR')
    expect(text).toContain(`'${target.parameter}'`)
  })

  it('refuses a tool that is hidden, with the reason', async () => {
    const { text, isError } = await call(row.run(target.hidden, {}, target))
    expect(isError).toBe(true)
    expect(text).toContain(target.hiddenCode)
  })
}

/** Some answers name the server and the tool apart. */
function nameIn(text: string, { listed }: Target): string {
  return text.includes(listed) ? listed : (listed.split('__').at(-1) ?? listed)
}
