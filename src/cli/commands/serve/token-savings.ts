// Computes the tokens that clients saved, from the usage log. Each request reads only the lines since the last request.

import { parseJson } from '../../../core/parse-json.ts'
import { BRACKET_TOKENS } from '../../../disclosure/strategies/listing/tool-cost.ts'
import type { InspectorReports, Saving } from '../../../front/inspector/inspector-options.ts'
import { createLogTail, olderLines } from '../../../storage/log-tail.ts'
import { USUAL_TOKENS_PER_BYTE } from '../../usage/tokens-per-byte.ts'
import { readUsage, type UsageRecord } from '../../usage/usage-log.ts'

const MAX_RECORDS = 50_000
const MAX_BYTES = 16 * 1_024 * 1_024

export function createSavings(file: string): NonNullable<InspectorReports['savings']> {
  const tail = createLogTail(file, { lastBytes: MAX_BYTES })
  let records: UsageRecord[] = []
  let hasReadOlder = false
  let reading: Promise<void> = Promise.resolve()

  const read = async () => {
    const older = hasReadOlder ? [] : await olderLines(file, { lastBytes: MAX_BYTES })
    hasReadOlder = true
    const newRecords = [...older, ...(await tail.next())].flatMap((line) => readUsage(parseJson(line)) ?? [])
    if (newRecords.length > 0) records = [...records, ...newRecords].slice(-MAX_RECORDS)
  }
  return async (since, listTokens) => {
    reading = reading.then(read)
    await reading
    return records
      .map((record): Saving => ({ time: Date.parse(record.time), tokens: savedBy(record, listTokens) }))
      .filter(({ time }) => time >= since)
  }
}

/** A session saves the full list of its servers, and pays for the list that it got. A search only costs. */
function savedBy(record: UsageRecord, listTokens: ReadonlyMap<string, number>): number {
  const paid = 'tokens' in record ? record.tokens : record.bytes * USUAL_TOKENS_PER_BYTE
  if (record.event === 'answer') return -paid
  // A log of an older version has no server names.
  const servers = record.servers ?? [...listTokens.keys()]
  return servers.reduce((sum, server) => sum + (listTokens.get(server) ?? 0), BRACKET_TOKENS) - paid
}
