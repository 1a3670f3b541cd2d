// Runs `toolcrib token list`: lists the tokens with their rights and their expiry.

import type { Rights } from '../../../core/rights.ts'
import { table } from '../../output/table.ts'
import { oneLine } from '../../output/text.ts'
import type { Work } from '../../output/work.ts'
import { withTokens } from './open-tokens.ts'

export async function listTokens(work: Work): Promise<number> {
  const { output } = work
  const tokens = await withTokens(work, (book) => book.list())
  const now = Date.now()
  const shown = tokens.map(({ name, rights = {}, createdAt, expiresAt }) => ({
    name,
    ...rights,
    created: new Date(createdAt).toISOString(),
    ...(expiresAt === undefined ? {} : { expires: new Date(expiresAt).toISOString(), isExpired: expiresAt <= now }),
  }))
  output.show({ tokens: shown }, () => {
    if (shown.length === 0) return ['There are no tokens.', 'Make one: toolcrib token add <name>']
    const rows = shown.map(({ name, created, expires, isExpired = false, ...rights }) => [
      oneLine(name),
      ...rightsCells(rights),
      day(created),
      expires === undefined ? 'never' : `${day(expires)}${isExpired ? ' (expired)' : ''}`,
    ])
    return table(['name', 'servers', 'tools', 'made', 'expires'], rows, output.width)
  })
  return 0
}

function rightsCells({ servers, tools, readOnly = false }: Rights): readonly [servers: string, tools: string] {
  const names = (list: readonly string[]) => (list.length === 0 ? 'none' : list.map(oneLine).join(', '))
  const matching = tools === undefined ? 'all' : names(tools)
  return [servers === undefined ? 'all' : names(servers), readOnly ? `${matching}, read-only` : matching]
}

function day(time: string): string {
  return time.slice(0, 10)
}
