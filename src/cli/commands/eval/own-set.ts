// The evaluation set of the user's own catalog: real searches from the audit log, or else queries from descriptions.

import { join } from 'node:path'
import type { Decide, Tool } from '../../../core/tool.ts'
import type { ReadySession } from '../../gateway/ready-session.ts'
import type { Work } from '../../output/work.ts'
import { auditQueries } from './audit-queries.ts'
import { type EvaluationSet, listingsOf } from './evaluation-set.ts'
import { generateQueries } from './generated-queries.ts'

/** With fewer queries, a single one changes the result by more than ten points. */
const MIN_AUDIT_QUERIES = 10

export async function ownSet(session: ReadySession, { environment }: Work): Promise<EvaluationSet> {
  const { visible, known } = await session.view()
  const isVisible = ({ id }: Tool) => visible.get(id) !== undefined
  // As in the gateway: all tools are in the index, and disabled tools cannot be found.
  const decide: Decide = (server, name) => ({ enabled: visible.get(`${server}:${name}`) !== undefined, tags: [] })
  const file = session.loaded.config.audit.file ?? join(environment.stateDir, 'audit.jsonl')
  const queries = await auditQueries(file, visible)
  if (queries.length >= MIN_AUDIT_QUERIES) {
    return { origin: 'audit', listings: listingsOf(known.tools), decide, queries }
  }
  const generated = generateQueries(known.tools, isVisible)
  return { origin: 'generated', listings: listingsOf(generated.tools), decide, queries: generated.queries }
}
