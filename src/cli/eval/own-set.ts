// The user's own catalog as a set: with what they searched for where that is known, else with what tools say of themselves.

import { join } from 'node:path'
import type { Decide, Tool } from '../../core/tool.ts'
import type { KnowingSession } from '../knowing-session.ts'
import type { Work } from '../work.ts'
import { auditQueries } from './audit-queries.ts'
import { type EvaluationSet, listingsOf } from './evaluation-set.ts'
import { generateQueries } from './generated-queries.ts'

/** Fewer say nothing about a ranker: one of them would be more than ten points. */
export const LEAST_AUDIT_QUERIES = 10

export async function ownSet(session: KnowingSession, { environment }: Work): Promise<EvaluationSet> {
  const { visible, known } = await session.view()
  const isVisible = ({ id }: Tool) => visible.get(id) !== undefined
  // As in the gateway: all are in the index, and those that rules disable are not found.
  const decide: Decide = (server, name) => ({ enabled: visible.get(`${server}:${name}`) !== undefined, tags: [] })
  const file = session.loaded.config.audit.file ?? join(environment.stateDir, 'audit.jsonl')
  const queries = await auditQueries(file, visible)
  if (queries.length >= LEAST_AUDIT_QUERIES) {
    return { origin: 'audit', listings: listingsOf(known.tools), decide, queries }
  }
  const generated = generateQueries(known.tools, isVisible)
  return { origin: 'generated', listings: listingsOf(generated.tools), decide, queries: generated.queries }
}
