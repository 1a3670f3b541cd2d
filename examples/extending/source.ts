// A source: tools that are neither commands nor tools of an MCP server. Here one tool reads the clock.

import { defineSource, failure, success, type ToolEntry } from 'toolcrib'
import { z } from 'zod'

const input = z.strictObject({ timeZone: z.string().default('UTC') })

const now: ToolEntry = {
  name: 'now',
  description: 'The current date and time in a time zone.',
  inputSchema: {
    type: 'object',
    properties: { timeZone: { type: 'string', default: 'UTC' } },
    additionalProperties: false,
  },
  // Read-only tools can be called again after a failure, and clients need not ask their user.
  traits: { mutation: false },
  validate(value) {
    const { success: ok, data, error } = input.safeParse(value)
    if (ok) return { ok, value: data }
    const issues = error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }))
    return { ok: false, issues }
  },
}

export const clock = defineSource({
  name: 'clock',
  open: ({ id }) => ({
    id,
    list: async () => [now],
    async call(name, given) {
      // Only listed tools are called, so this is an error of the program and not of the caller.
      if (name !== now.name) throw new Error(`There is no tool '${name}'.`)
      const { timeZone } = input.parse(given)
      try {
        return success({ timeZone, time: new Date().toLocaleString('sv-SE', { timeZone }) })
      } catch {
        return failure({ code: 'UNKNOWN_TIME_ZONE', message: `'${timeZone}' is not a time zone.` })
      }
    },
    async [Symbol.asyncDispose]() {},
  }),
})
