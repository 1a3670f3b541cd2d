// Checks that the commands of the example servers do what their metadata states.

import { type Command, createCommandRegistry, createDirectClient } from 'toolcrib'
import { describe, expect, it } from 'vitest'
import { notesCommands } from './notes/commands.ts'
import { createVault } from './notes/create-vault.ts'
import { shopCommands } from './shop/commands.ts'
import { createShop } from './shop/create-shop.ts'
import { trackerCommands } from './tracker/commands.ts'
import { createTracker } from './tracker/create-tracker.ts'

const servers = {
  notes: () => over(createVault(), notesCommands),
  tracker: () => over(createTracker(), trackerCommands),
  shop: () => over(createShop(), shopCommands),
}

/** Fields that refer to an existing record. The name of a new record is not one of them. */
const REFERENCE = /Id$|^(sku|project|trackingCode|author|lead|discountCode)$/

describe.each(Object.entries(servers))('every command of %s', (_, open) => {
  const { commands, names } = open()

  it('every command has a category, an example, and a short first sentence in its description', () => {
    for (const { name, category, examples = [], description } of commands) {
      expect(category, name).toBeDefined()
      expect(examples.length, name).toBeGreaterThan(0)
      expect(description.split(/[.;:] /)[0]?.length, name).toBeLessThanOrEqual(110)
    }
  })

  it('every command declares `mutation`, every mutation declares `destructive`, and every destructive one has a confirm prompt', () => {
    for (const { name, mutation, destructive, confirmPrompt } of commands) {
      expect(mutation, name).toBeTypeOf('boolean')
      if (mutation) expect(destructive, name).toBeTypeOf('boolean')
      if (destructive) expect(confirmPrompt, name).toMatch(/\?/)
    }
  })

  it('every command uses only its own fields in its confirm prompt, and requires only commands that exist', () => {
    for (const { name, confirmPrompt = '', inputSchema, requires = [] } of commands) {
      for (const [, field = ''] of confirmPrompt.matchAll(/\{(\w+)\}/g)) {
        expect(inputSchema.properties, name).toHaveProperty(field)
      }
      expect(names, name).toEqual(expect.arrayContaining([...requires]))
    }
  })

  it.each(names)('%s runs its examples, which change records if and only if it declares a mutation', async (name) => {
    for (const { input } of commandNamed(commands, name).examples ?? []) {
      const { client, state, commands: own } = open()
      const before = structuredClone(state)
      expect(await client.call(name, input)).toMatchObject({ success: true })
      if (commandNamed(own, name).mutation === false) expect(state).toEqual(before)
      else expect(state).not.toEqual(before)
    }
  })

  it.each(commands.filter((command) => referencesOf(command).length > 0))(
    '$name, called with the id of a missing record, filters by it or fails with a declared code and the command to call',
    async (command) => {
      const { name, examples = [], errors = [], mutation } = command
      const { client, state } = open()
      const before = structuredClone(state)
      for (const field of referencesOf(command)) {
        const { success, error } = await client.call(name, { ...examples[0]?.input, [field]: 'nobody-0' })
        const isFilter = success && mutation === false
        if (isFilter) continue
        expect(errors, field).toContain(error?.code)
        expect(names.some((known) => error?.suggestion?.includes(known))).toBe(true)
      }
      expect(state).toEqual(before)
    },
  )
})

describe('a long command with a caller that disconnects', () => {
  const three = ['a', 'b', 'c']
  it.each([
    ['import-notes', servers.notes, { notes: three.map((name) => ({ path: `inbox/${name}.md`, body: name })) }],
    ['issue-import', servers.tracker, { project: 'APP', issues: three.map((name) => ({ title: `Issue ${name}` })) }],
    ['sales-report', servers.shop, { from: '2026-02-01' }],
  ] as const)('%s stops when its caller disconnects', async (name, open, input) => {
    const caller = new AbortController()
    const steps: number[] = []
    const progress = (done: number) => {
      steps.push(done)
      caller.abort()
    }
    const { error } = await open().client.call(name, input, { signal: caller.signal, progress })
    expect(error?.code).toBe('CANCELLED')
    expect(steps).toEqual([1])
  })
})

describe('the records and the names of tools', () => {
  it.each(Object.entries(servers))('the records of %s are the same at every start', (_, open) => {
    expect(open().state).toEqual(open().state)
  })

  it('the tools of all servers have different names', () => {
    const all = Object.values(servers).flatMap((open) => open().names)
    expect(new Set(all).size).toBe(all.length)
  })
})

function over<S>(state: S, commandsOn: (state: S) => Command[]) {
  const commands = commandsOn(state)
  const registry = createCommandRegistry()
  registry.register(...commands)
  return { state, commands, names: commands.map(({ name }) => name), client: createDirectClient(registry) }
}

/** The fields of the first example that refer to an existing record. */
function referencesOf({ name, examples = [] }: Command): readonly string[] {
  const isPathOfNote = (field: string) => field === 'path' && name !== 'create-note'
  return Object.keys(examples[0]?.input ?? {}).filter((field) => REFERENCE.test(field) || isPathOfNote(field))
}

function commandNamed(list: readonly Command[], name: string): Command {
  const command = list.find((one) => one.name === name)
  if (command === undefined) throw new Error(`There is no command '${name}'.`)
  return command
}
