// Creates the record of a new issue.

import { nextNumber, nextTime } from '../../shared/counters.ts'
import type { Issue, Tracker } from './model.ts'

export type IssueDraft = Omit<
  Issue,
  'id' | 'project' | 'status' | 'resolution' | 'links' | 'createdAt' | 'updatedAt' | 'closedAt'
>

export function addIssue(tracker: Tracker, project: string, draft: IssueDraft): Issue {
  const at = nextTime(tracker.counters)
  const issue: Issue = {
    ...draft,
    id: `${project}-${nextNumber(tracker.counters, project)}`,
    project,
    status: 'open',
    resolution: null,
    links: [],
    createdAt: at,
    updatedAt: at,
    closedAt: null,
  }
  tracker.issues.set(issue.id, issue)
  return issue
}
