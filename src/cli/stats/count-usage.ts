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

/** Counting waits so long: the start of a session is when the processor is needed for other things. */
const COUNT_AFTER_MS = 3_000
/** Past so many characters they are counted at once. */
const MAX_KEPT_CHARS = 1024 * 1024

export interface CountedCrib {
  readonly crib: Crib
  /** Writes what is not written yet. */
  flush(): Promise<void>
}

type Uncounted = { readonly text: string; readonly record: (tokens: number) => UsageRecord }

export function countUsage(crib: Crib, log: AppendLog): CountedCrib {
  const sessions = new Map<string, string>()
  let uncounted: Uncounted[] = []
  let keptChars = 0
  let timer: NodeJS.Timeout | undefined
  let writing = Promise.resolve()

  const writeAll = async () => {
    clearTimeout(timer)
    timer = undefined
    const now = uncounted
    uncounted = []
    keptChars = 0
    if (now.length === 0) return
    const count = await loadTokenCounter()
    for (const { text, record } of now) await log.append(record(countAbout(text, count)))
  }
  const flush = () => {
    // Losing a line is no reason to fail.
    writing = writing.then(writeAll).catch(() => {})
    return writing
  }
  const write = (one: Uncounted) => {
    uncounted.push(one)
    keptChars += one.text.length
    if (keptChars > MAX_KEPT_CHARS) void flush()
    timer ??= setTimeout(() => void flush(), COUNT_AFTER_MS).unref()
  }
  const counted: Crib = {
    ...crib,
    async list(request) {
      const listed = await crib.list(request)
      const key = keyOf(request)
      if (sessions.has(key) || sessions.size >= MAX_SESSIONS) return listed
      const session = randomBytes(6).toString('hex')
      sessions.set(key, session)
      const time = new Date().toISOString()
      const seen = crib.inspect(AbortSignal.timeout(MAX_WAIT_MS)).then((view) => {
        const servers = view.sources.map(({ id }) => id)
        const record = (tokens: number): UsageRecord => ({ time, event: 'session', tokens, session, servers })
        write({ text: JSON.stringify(listed), record })
      })
      // Not waited for: counting is no reason to keep a client waiting.
      seen.catch(() => {})
      return listed
    },
    async call(name, args, request) {
      const result = await crib.call(name, args, request)
      if (!LOOKS.test(name)) return result
      const session = sessions.get(keyOf(request))
      const time = new Date().toISOString()
      const about = session === undefined ? {} : { session }
      write({ text: textOf(result), record: (tokens) => ({ time, event: 'answer', tool: name, tokens, ...about }) })
      return result
    },
  }
  return { crib: counted, flush }
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
