// Commands that find and show issues.

import { type Command, defineCommand, success } from 'toolcrib'
import { z } from 'zod'
import { reads } from '../../../shared/effects.ts'
import { contains, pageOf, paging } from '../../../shared/fields.ts'
import { noIssue } from '../failures.ts'
import { issueId, project, sprintId, username } from '../fields.ts'
import { type Issue, issueTypes, priorities, statuses, type Tracker } from '../model.ts'

export function findIssueCommands(tracker: Tracker): Command[] {
  return [
    defineCommand({
      name: 'issue-list',
      description: 'List issues by project, status, assignee, label, milestone or sprint; the last changed first.',
      category: 'issue',
      tags: ['read'],
      ...reads,
      examples: [{ title: 'Open bugs of the website', input: { project: 'WEB', types: ['bug'] } }],
      input: z.object({
        project: project.optional(),
        status: z
          .array(z.enum(statuses))
          .default(['open', 'in-progress', 'in-review'])
          .describe('In any of these states'),
        types: z.array(z.enum(issueTypes)).optional().describe('Of any of these kinds'),
        assignee: username.nullable().optional().describe('Username; null for issues without an assignee'),
        labels: z.array(z.string()).default([]).describe('With all of these labels'),
        milestoneId: z.string().optional().describe('Milestone id, such as mil-1'),
        sprintId: sprintId.optional(),
        sortBy: z.enum(['updated', 'priority', 'created']).default('updated').describe('Order of the list'),
        ...paging,
      }),
      handler({ status, types, labels, sortBy, limit, offset, ...exact }) {
        const wanted = [...tracker.issues.values()].filter(
          (issue) =>
            status.includes(issue.status) &&
            (types === undefined || types.includes(issue.type)) &&
            labels.every((label) => issue.labels.includes(label)) &&
            (exact.project ?? issue.project) === issue.project &&
            (exact.assignee === undefined || exact.assignee === issue.assignee) &&
            (exact.milestoneId ?? issue.milestoneId) === issue.milestoneId &&
            (exact.sprintId ?? issue.sprintId) === issue.sprintId,
        )
        return success(pageOf(wanted.sort(orders[sortBy]).map(summaryOf), { limit, offset }))
      },
    }),
    defineCommand({
      name: 'issue-get',
      description: 'Show one issue in full: text, checklist, links to other issues, and its comments.',
      category: 'issue',
      tags: ['read'],
      ...reads,
      errors: ['ISSUE_NOT_FOUND'],
      examples: [{ input: { issueId: 'WEB-4' } }],
      input: z.object({ issueId }),
      handler({ issueId }) {
        const issue = tracker.issues.get(issueId)
        if (issue === undefined) return noIssue(tracker, issueId)
        const comments = [...tracker.comments.values()].filter((comment) => comment.issueId === issueId)
        const linkedFrom = [...tracker.issues.values()].flatMap(({ id, links }) =>
          links.filter(({ to }) => to === issueId).map(({ relation }) => ({ from: id, relation })),
        )
        return success({ ...issue, linkedFrom, comments })
      },
    }),
    defineCommand({
      name: 'issue-search',
      description:
        'Search issues by words in their title, text or comments. Use it before issue-create to find duplicates.',
      category: 'issue',
      tags: ['read'],
      ...reads,
      examples: [{ input: { text: 'camera' } }],
      input: z.object({
        text: z.string().min(2).describe('A word or phrase, upper or lower case'),
        project: project.optional(),
        withClosed: z.boolean().default(true).describe('Also closed issues'),
        limit: paging.limit,
      }),
      handler({ text, project, withClosed, limit }) {
        const commentTexts = (id: string) =>
          [...tracker.comments.values()].filter(({ issueId }) => issueId === id).map(({ body }) => body)
        const hits = [...tracker.issues.values()].filter(
          (issue) =>
            (project ?? issue.project) === issue.project &&
            (withClosed || issue.status !== 'closed') &&
            contains(text, issue.title, issue.body, ...commentTexts(issue.id)),
        )
        return success(pageOf(hits.map(summaryOf), { limit, offset: 0 }))
      },
    }),
  ]
}

type Compare = (a: Issue, b: Issue) => number
const byUpdate: Compare = (a, b) => b.updatedAt.localeCompare(a.updatedAt)
const orders: Readonly<Record<'updated' | 'priority' | 'created', Compare>> = {
  updated: byUpdate,
  created: (a, b) => b.createdAt.localeCompare(a.createdAt),
  priority: (a, b) => priorities.indexOf(b.priority) - priorities.indexOf(a.priority) || byUpdate(a, b),
}

function summaryOf({ id, title, type, priority, status, assignee, labels, updatedAt }: Issue) {
  return { id, title, type, priority, status, assignee, labels, updatedAt }
}
