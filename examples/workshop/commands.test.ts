// Checks that the workshop's commands do what their metadata states, and share the same records.

import type { Command, CommandContext, CommandResult } from 'toolcrib'
import { describe, expect, it } from 'vitest'
import { createWorkshopCommands, workshopContexts } from './commands.ts'
import { createWorkshopState, type WorkshopState } from './state.ts'

const commands = createWorkshopCommands()
const names = commands.map(({ name }) => name)
const categoryOf = ({ name }: Command) => name.split('-')[0] ?? ''

describe('the list of commands', () => {
  it('the workshop has at least 64 commands, in 8 categories of at least 8 commands each', () => {
    const counts = new Map<string, number>()
    for (const command of commands) counts.set(categoryOf(command), (counts.get(categoryOf(command)) ?? 0) + 1)
    expect(commands.length).toBeGreaterThanOrEqual(64)
    expect(counts.size).toBe(8)
    expect(Math.min(...counts.values())).toBeGreaterThanOrEqual(8)
  })

  it('no two commands have the same name', () => {
    expect(new Set(names).size).toBe(names.length)
  })

  it('every command declares whether it changes records, its execution time, an example, and the tag read or write', () => {
    for (const { name, mutation, executionTime, examples, tags } of commands) {
      expect(mutation, name).toBeTypeOf('boolean')
      expect(executionTime, name).toBeDefined()
      expect(examples?.length, name).toBeGreaterThan(0)
      expect(tags, name).toContain(mutation ? 'write' : 'read')
    }
  })

  it('every destructive command has a confirm prompt and declares that it changes records', () => {
    const destructive = commands.filter((command) => command.destructive)
    expect(destructive.length).toBeGreaterThanOrEqual(8)
    for (const { name, confirmPrompt, mutation } of destructive) {
      expect(confirmPrompt, name).toMatch(/\?/)
      expect(mutation, name).toBe(true)
    }
  })

  it('commands require only commands that exist, and use exactly the contexts of the workshop', () => {
    const contexts = workshopContexts.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(commands.flatMap(({ requires = [] }) => requires)))
    expect(new Set(commands.flatMap((command) => command.contexts ?? []))).toEqual(new Set(contexts))
  })
})

describe('every command of the workshop', () => {
  it.each(names)('%s runs its examples, which change records if and only if it declares a mutation', async (name) => {
    for (const { input } of commandNamed(commands, name).examples ?? []) {
      const { run, state, command } = openWorkshop(name)
      const before = structuredClone(state)
      const result = await run(name, input)
      expect(result).toMatchObject({ success: true })
      expect((await command.output?.['~standard'].validate(result.data))?.issues).toBeUndefined()
      if (command.mutation === false) expect(state).toEqual(before)
      else expect(state).not.toEqual(before)
    }
  })

  it.each(commands.filter((command) => idFieldsOf(command).length > 0).map(({ name }) => name))(
    '%s, called with an unknown id, filters by it or fails with a declared code and a suggested command',
    async (name) => {
      const { run, state, command } = openWorkshop(name)
      const before = structuredClone(state)
      for (const field of idFieldsOf(command)) {
        const { success, error } = await run(name, { ...command.examples?.[0]?.input, [field]: 'nobody-0' })
        const isFilter = success && command.mutation === false
        if (isFilter) continue
        expect(command.errors, field).toContain(error?.code)
        expect(names.some((known) => error?.suggestion?.includes(known))).toBe(true)
      }
      expect(state).toEqual(before)
    },
  )
})

describe('the records of the workshop', () => {
  it('the records of the workshop are the same at every start', () => {
    expect(createWorkshopState()).toEqual(createWorkshopState())
  })

  it('the workshop lists a new customer, and refuses a second customer with the same email address', async () => {
    const { data, run } = openWorkshop()
    const noor = { name: 'Noor Haddad', email: 'noor@haddad.example', city: 'Malmö' }
    const { id } = await data('customer-create', noor)
    const { items } = await data('customer-list', { sortBy: 'newest' })
    expect(items).toContainEqual(expect.objectContaining({ id, ...noor }))
    const { error } = await run('customer-create', { ...noor, email: 'NOOR@haddad.example' })
    expect(error).toMatchObject({ code: 'EMAIL_TAKEN', suggestion: expect.stringContaining(String(id)) })
  })

  it('the workshop processes an order from its creation to a paid invoice', async () => {
    const { data, run, state } = openWorkshop()
    const lines = [
      { kind: 'labour', description: 'Replace brake pads', minutes: 30 },
      { kind: 'part', partId: 'prt-1', quantity: 2 },
    ]
    const { id: orderId, totalCents } = await data('order-create', { bikeId: 'bik-5', problem: 'Soft brakes', lines })
    expect(totalCents).toBe(30 * 120 + 2 * 2_490)
    expect(state.parts.get('prt-1')?.stock).toBe(22)

    expect((await run('order-start', { orderId })).error?.code).toBe('NOT_ASSIGNED')
    await data('order-assign', { orderId, mechanicId: 'stf-3' })
    await data('order-start', { orderId })
    expect((await run('invoice-create', { orderId })).error?.code).toBe('ORDER_STATUS')
    await data('order-complete', { orderId })

    const { id: invoiceId } = await data('invoice-create', { orderId })
    expect(await data('order-get', { orderId })).toMatchObject({ status: 'invoiced' })
    const partly = await data('invoice-pay', { invoiceId, amountCents: 1_000, method: 'cash' })
    expect(partly).toMatchObject({ status: 'open', balanceCents: 30 * 120 + 2 * 2_490 - 1_000 })
    const paid = await data('invoice-pay', { invoiceId, method: 'card' })
    expect(paid).toMatchObject({ status: 'paid', balanceCents: 0 })
    expect((await run('invoice-pay', { invoiceId, method: 'card' })).error?.code).toBe('INVOICE_STATUS')
  })

  it('the workshop names the command that can correct an invoice, which depends on the status of the invoice', async () => {
    const { data, run } = openWorkshop()
    const suggestionOf = async (name: string, input: object) => (await run(name, input)).error?.suggestion
    const invoice = { invoiceId: 'inv-2' }
    expect(await suggestionOf('invoice-refund', { ...invoice, amountCents: 1 })).toContain('invoice-void')
    await data('invoice-pay', { ...invoice, amountCents: 1, method: 'cash' })
    expect(await suggestionOf('invoice-refund', { ...invoice, amountCents: 1 })).toContain('invoice-pay')
    expect(await suggestionOf('invoice-void', invoice)).toContain('invoice-pay')
    await data('invoice-pay', { ...invoice, method: 'cash' })
    expect(await suggestionOf('invoice-void', invoice)).toContain('invoice-refund')
  })

  it('the workshop names the commands that complete an open order, and the bike can be transferred after them', async () => {
    const { data, run } = openWorkshop()
    const transfer = async () => run('bike-transfer', { bikeId: 'bik-3', toCustomerId: 'cus-4' })
    const open = 'order-assign, then order-start, then order-complete'
    expect((await transfer()).error?.suggestion).toBe(`Call ${open} for ord-4 first, or order-cancel.`)
    expect((await run('invoice-create', { orderId: 'ord-4' })).error?.suggestion).toBe(`Call ${open} for ord-4 first.`)
    await data('order-assign', { orderId: 'ord-4', mechanicId: 'stf-3' })
    expect((await transfer()).error?.suggestion).toContain('Call order-start, then order-complete for')
    await data('order-start', { orderId: 'ord-4' })
    expect((await transfer()).error?.suggestion).toContain('Call order-complete for')
    await data('order-complete', { orderId: 'ord-4' })
    expect(await transfer()).toMatchObject({ success: true })
  })

  it('the workshop suggests a new order if a cancelled order is invoiced', async () => {
    const { data, run } = openWorkshop()
    await data('order-cancel', { orderId: 'ord-4', reason: 'New bike' })
    expect((await run('invoice-create', { orderId: 'ord-4' })).error?.suggestion).toContain('order-create')
  })

  it('the workshop names the commands after which a customer with a finished order can be deleted', async () => {
    const { data, run } = openWorkshop()
    const remove = () => run('customer-delete', { customerId: 'cus-3' })
    expect((await remove()).error?.suggestion).toBe('Call invoice-create for ord-5.')
    const { id } = await data('invoice-create', { orderId: 'ord-5' })
    for (const invoiceId of ['inv-1', id]) {
      expect((await remove()).error?.suggestion).toBe(`Call invoice-pay for ${invoiceId}.`)
      await data('invoice-pay', { invoiceId, method: 'card' })
    }
    expect(await remove()).toMatchObject({ success: true })
  })

  it('the workshop suggests to cancel the order of a customer only if the order is not done', async () => {
    const { data, run } = openWorkshop()
    const remove = () => run('customer-delete', { customerId: 'cus-2' })
    expect((await remove()).error?.suggestion).toBe(
      'Call order-assign, then order-start, then order-complete, then invoice-create for ord-4, or order-cancel.',
    )
    await data('order-cancel', { orderId: 'ord-4', reason: 'New bike' })
    expect(await remove()).toMatchObject({ success: true })
  })

  it('the workshop puts the parts of a cancelled order back into stock', async () => {
    const { data, state } = openWorkshop()
    const before = state.parts.get('prt-3')?.stock ?? 0
    await data('order-cancel', { orderId: 'ord-4', reason: 'New bike' })
    expect(state.parts.get('prt-3')?.stock).toBe(before + 1)
  })

  it('the workshop refuses an order if two of its lines together request more parts than are in stock', async () => {
    const { run, state } = openWorkshop()
    const before = structuredClone(state)
    const line = { kind: 'part', partId: 'prt-7', quantity: 2 }
    const { error } = await run('order-create', { bikeId: 'bik-5', problem: 'No lights', lines: [line, line] })
    expect(error).toMatchObject({ code: 'OUT_OF_STOCK', suggestion: expect.stringContaining('part-receive') })
    expect(state).toEqual(before)
  })

  it('the workshop allows as many parallel appointments as there are mechanics', async () => {
    const { data, run } = openWorkshop()
    const at = { service: 'repair', date: '2026-03-03', time: '10:00' }
    const { error } = await run('appointment-book', { customerId: 'cus-5', ...at })
    expect(error).toMatchObject({ code: 'TIME_NOT_FREE', suggestion: expect.stringContaining('09:00') })
    await data('appointment-cancel', { appointmentId: 'apt-3' })
    expect(await data('appointment-book', { customerId: 'cus-5', ...at })).toMatchObject({ status: 'booked' })
  })

  it('the workshop refuses an appointment for the bike of another customer', async () => {
    const { run } = openWorkshop()
    const at = { service: 'repair', date: '2026-03-04', time: '11:00' }
    const { error } = await run('appointment-book', { customerId: 'cus-5', bikeId: 'bik-1', ...at })
    expect(error).toMatchObject({ code: 'OTHER_OWNER', message: expect.stringContaining('cus-1') })
  })

  it('the workshop says that it is closed if the day of an appointment is a Sunday', async () => {
    const { run } = openWorkshop()
    const { error } = await run('appointment-book', {
      customerId: 'cus-5',
      service: 'repair',
      date: '2026-03-08',
      time: '11:00',
    })
    expect(error).toMatchObject({ code: 'TIME_NOT_FREE', suggestion: expect.stringContaining('closed on Sundays') })
  })

  it('the report of a day names who is clocked in only if the day is today', async () => {
    const { data } = openWorkshop()
    expect(await data('report-day', {})).toMatchObject({ clockedIn: ['Frida Holm', 'Goran Petrov', 'Jia Nilsson'] })
    expect(await data('report-day', { date: '2026-03-03' })).not.toHaveProperty('clockedIn')
  })

  it('the workshop moves all records of a duplicate customer to the remaining one', async () => {
    const { data } = openWorkshop()
    await data('customer-merge', { keepId: 'cus-6', duplicateId: 'cus-5' })
    const { bikes, orders, appointments } = await data('customer-history', { customerId: 'cus-6' })
    expect([bikes, orders, appointments].map((list) => Array.isArray(list) && list.length)).toEqual([1, 1, 1])
  })
})

describe('content, progress and cancellation', () => {
  it('the workshop returns a label as an SVG resource with escaped names', async () => {
    const { data, run } = openWorkshop()
    await data('customer-update', { customerId: 'cus-1', name: '<script>Ada' })
    const { content } = await run('bike-label', { bikeId: 'bik-1' })
    const text = expect.stringMatching(/^<svg[\s\S]*&lt;script&gt;Ada[\s\S]*<\/svg>$/)
    expect(content).toMatchObject([{ type: 'resource', resource: { mimeType: 'image/svg+xml', text } }])
  })

  it('the workshop reports progress after each section of an export', async () => {
    const { run, progress } = openWorkshop()
    await run('report-export', { sections: ['bikes', 'staff'], paceMs: 0 })
    expect(progress).toEqual([
      [1, 2, 'Exported bikes'],
      [2, 2, 'Exported staff'],
    ])
  })

  it('the workshop ends an export when its caller disconnects', async () => {
    const caller = new AbortController()
    const { run, progress } = openWorkshop('report-export', caller.signal, () => caller.abort())
    const { error } = await run('report-export', { paceMs: 5_000 })
    expect(error?.code).toBe('EXPORT_CANCELLED')
    expect(progress).toHaveLength(1)
  })
})

/** The fields of the first example that contain an id. */
function idFieldsOf({ examples = [] }: Command): readonly string[] {
  return Object.keys(examples[0]?.input ?? {}).filter((field) => field.endsWith('Id'))
}

/** Creates a new workshop and functions that call its commands. */
function openWorkshop(name = 'customer-get', signal = new AbortController().signal, onProgress = () => {}) {
  const state: WorkshopState = createWorkshopState()
  const own = createWorkshopCommands(state)
  const progress: unknown[][] = []
  const run = async (called: string, input: unknown): Promise<CommandResult<Record<string, unknown>>> => {
    const command = commandNamed(own, called)
    const context = contextOf(command, signal, (...report) => {
      progress.push(report)
      onProgress()
    })
    const parsed = await command.input['~standard'].validate(input)
    if (parsed.issues !== undefined) throw new Error(JSON.stringify(parsed.issues))
    const result = await command.handler(parsed.value, context)
    // `Command` does not keep the result type of its handler; every test checks the value.
    return result as CommandResult<Record<string, unknown>>
  }
  const data = async (called: string, input: unknown) => {
    const result = await run(called, input)
    if (result.data === undefined) throw new Error(`${called}: ${result.error?.message}`)
    return result.data
  }
  return { state, run, data, progress, command: commandNamed(own, name) }
}

function commandNamed(list: readonly Command[], name: string): Command {
  const command = list.find((one) => one.name === name)
  if (command === undefined) throw new Error(`The workshop has no command '${name}'.`)
  return command
}

function contextOf(command: Command, signal: AbortSignal, progress: CommandContext['progress']): CommandContext {
  return {
    command: { name: command.name, category: categoryOf(command) },
    caller: { principal: 'test', era: 'direct', transport: 'direct' },
    traceId: 'test',
    signal,
    progress,
    log: () => {},
    introspect: () => Promise.reject(new Error('The workshop does not look at its server.')),
  }
}
