// Commands that close, reopen and link issues.

import { type Command, defineCommand, failure, success } from 'toolcrib'
import { z } from 'zod'
import { nextNumber, nextTime } from '../../../shared/counters.ts'
import { changes } from '../../../shared/effects.ts'
import { alreadyClosed, noIssue } from '../failures.ts'
import { issueId, markdown } from '../fields.ts'
import { type Issue, relations, resolutions, type Tracker } from '../model.ts'

export function issueStateCommands(tracker: Tracker): Command[] {
  const save = (issue: Issue) => {
    tracker.issues.set(issue.id, issue)
    return issue
  }
  const addComment = (issueId: string, body: string, createdAt: string) => {
    const id = `com-${nextNumber(tracker.counters, 'com')}`
    tracker.comments.set(id, { id, issueId, author: 'tracker', body, createdAt })
  }
  return [
    defineCommand({
      name: 'issue-close',
      description: 'Close an issue as done, or say why it will not be done. Refused while an open issue blocks it.',
      category: 'issue',
      tags: ['write'],
      ...changes,
      errors: ['ISSUE_NOT_FOUND', 'ISSUE_CLOSED', 'ISSUE_BLOCKED'],
      examples: [{ input: { issueId: 'WEB-4', comment: 'Released with 4.2.' } }],
      input: z.object({
        issueId,
        resolution: z.enum(resolutions).default('done').describe('Why it is closed'),
        comment: markdown.optional().describe('Kept as a comment'),
      }),
      handler({ issueId, resolution, comment }) {
        const issue = tracker.issues.get(issueId)
        if (issue === undefined) return noIssue(tracker, issueId)
        if (issue.status === 'closed') return alreadyClosed(issue)
        const blocker = resolution === 'done' ? blockerOf(tracker, issueId) : undefined
        if (blocker !== undefined) return blocked(issueId, blocker)
        const at = nextTime(tracker.counters)
        if (comment !== undefined) addComment(issueId, comment, at)
        return success(save({ ...issue, status: 'closed', resolution, updatedAt: at, closedAt: at }))
      },
    }),
    defineCommand({
      name: 'issue-reopen',
      description: 'Open a closed issue again, with the reason why.',
      category: 'issue',
      tags: ['write'],
      ...changes,
      errors: ['ISSUE_NOT_FOUND', 'ISSUE_OPEN'],
      examples: [{ input: { issueId: 'WEB-1', reason: 'Happens again in the new form.' } }],
      input: z.object({ issueId, reason: markdown.min(1).describe('Kept as a comment') }),
      handler({ issueId, reason }) {
        const issue = tracker.issues.get(issueId)
        if (issue === undefined) return noIssue(tracker, issueId)
        if (issue.status !== 'closed') {
          return failure({
            code: 'ISSUE_OPEN',
            message: `Issue ${issueId} is ${issue.status}, not closed`,
            suggestion: 'Call issue-update to change its status, or comment-add to say something about it.',
          })
        }
        const at = nextTime(tracker.counters)
        addComment(issueId, reason, at)
        return success(save({ ...issue, status: 'open', resolution: null, updatedAt: at, closedAt: null }))
      },
    }),
    defineCommand({
      name: 'issue-link',
      description: 'Link an issue to another: the first blocks the second, duplicates it or relates to it.',
      category: 'issue',
      tags: ['write', 'planning'],
      ...changes,
      errors: ['ISSUE_NOT_FOUND', 'LINK_TO_ITSELF'],
      examples: [{ input: { issueId: 'APP-1', relation: 'blocks', toIssueId: 'APP-2' } }],
      input: z.object({
        issueId,
        relation: z.enum(relations).describe('How the first issue relates to the second'),
        toIssueId: issueId.describe('The other issue'),
        remove: z.boolean().default(false).describe('Take the link away instead'),
      }),
      handler({ issueId, relation, toIssueId: to, remove }) {
        const issue = tracker.issues.get(issueId)
        if (issue === undefined) return noIssue(tracker, issueId)
        if (!tracker.issues.has(to)) return noIssue(tracker, to)
        if (issueId === to) {
          return failure({
            code: 'LINK_TO_ITSELF',
            message: `${issueId} cannot be linked to itself`,
            suggestion: 'Call issue-search to find the id of the other issue.',
          })
        }
        const others = issue.links.filter((link) => link.to !== to || link.relation !== relation)
        const links = remove ? others : [...others, { relation, to }]
        return success(save({ ...issue, links, updatedAt: nextTime(tracker.counters) }))
      },
    }),
  ]
}

function blockerOf({ issues }: Tracker, id: string): Issue | undefined {
  return [...issues.values()].find(
    ({ status, links }) => status !== 'closed' && links.some(({ relation, to }) => relation === 'blocks' && to === id),
  )
}

function blocked(id: string, blocker: Issue) {
  return failure({
    code: 'ISSUE_BLOCKED',
    message: `${id} is blocked by ${blocker.id} (${blocker.title})`,
    suggestion: `Close ${blocker.id} first, or take the link away: issue-link with issueId '${blocker.id}', relation 'blocks', toIssueId '${id}', remove true.`,
    details: { blockedBy: blocker.id },
  })
}
