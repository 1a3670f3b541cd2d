// A crib that counts what its clients pay for finding tools, after they have their answers.

import { randomBytes } from 'node:crypto'
import type { CommandResult } from '../../core/result.ts'
import { type CountTokens, loadTokenCounter } from '../../core/tokens.ts'
import type { Crib } from '../../crib/crib.ts'
import type { Request } from '../../crib/request.ts'
import type { AppendLog } from '../../storage/append-log.ts'
import type { UsageRecord } from './usage-log.ts'

/** What a client calls to find tools; what it calls to run them is paid for either way. */
const LOOKS =
  /^(?:search_tools|list_tools|list_mcp_servers|get_tool_details|list_tool_categories|get_category_tools|get_tool_schema|manage_tools|\w+-discover|\w+-detail|.+_capabilities|.+_tool_schema)$/
const MAX_SESSIONS = 10_000
const MAX_WAIT_MS = 10_000
/** Of a longer text so many parts are counted, in a few milliseconds, and taken for all of it. */
const SAMPLES = 16
const SAMPLE_CHARS = 2_048

export function countUsage(crib: Crib, log: AppendLog): Crib {
  const sessions = new Map<string, string>()
  const write = (record: (count: CountTokens) => UsageRecord | Promise<UsageRecord>) =>
    // Not waited for: counting is no reason to keep a client waiting, and losing a line none to fail.
    void loadTokenCounter()
      .then(async (count) => log.append(await record((text) => countAbout(text, count))))
      .catch(() => {})
  return {
    ...crib,
    async list(request) {
      const listed = await crib.list(request)
      const key = keyOf(request)
      if (sessions.has(key) || sessions.size >= MAX_SESSIONS) return listed
      const session = randomBytes(6).toString('hex')
      sessions.set(key, session)
      const time = new Date().toISOString()
      write(async (count) => {
        const view = await crib.inspect(AbortSignal.timeout(MAX_WAIT_MS))
        const servers = view.sources.map(({ id }) => id)
        return { time, event: 'session', tokens: count(JSON.stringify(listed)), session, servers }
      })
      return listed
    },
    async call(name, args, request) {
      const result = await crib.call(name, args, request)
      if (!LOOKS.test(name)) return result
      const session = sessions.get(keyOf(request))
      const time = new Date().toISOString()
      write((count) => ({
        time,
        event: 'answer',
        tool: name,
        tokens: count(textOf(result)),
        ...(session === undefined ? {} : { session }),
      }))
      return result
    },
  }
}

function keyOf({ caller }: Request): string {
  return JSON.stringify([caller.transport, caller.principal, caller.sessionId])
}

export function countAbout(text: string, count: CountTokens): number {
  if (text.length <= SAMPLES * SAMPLE_CHARS) return count(text)
  const apart = (text.length - SAMPLE_CHARS) / (SAMPLES - 1)
  const samples = Array.from({ length: SAMPLES }, (_, index) => {
    const at = Math.floor(index * apart)
    return count(text.slice(at, at + SAMPLE_CHARS))
  })
  const counted = samples.reduce((sum, tokens) => sum + tokens, 0)
  return Math.round((counted / (SAMPLES * SAMPLE_CHARS)) * text.length)
}

/** What the model reads of it. */
function textOf({ wire, data, error }: CommandResult): string {
  if (wire === undefined) return JSON.stringify(error ?? data ?? null)
  return wire.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}
