// Commands that create, change and delete issues.

import { type Command, defineCommand, success } from 'toolcrib'
import { z } from 'zod'
import { nextTime } from '../../../shared/counters.ts'
import { changes, destroys } from '../../../shared/effects.ts'
import { given } from '../../../shared/fields.ts'
import { alreadyClosed, archived, noIssue, noProject } from '../failures.ts'
import { issueFields, issueId, project } from '../fields.ts'
import { openStatuses, type Tracker } from '../model.ts'
import { addIssue } from '../new-issue.ts'
import { findBadReference } from '../references.ts'

const BAD_REFERENCES = [
  'MEMBER_NOT_FOUND',
  'LABEL_NOT_FOUND',
  'MILESTONE_NOT_FOUND',
  'SPRINT_NOT_FOUND',
  'OTHER_PROJECT',
]

export function writeIssueCommands(tracker: Tracker): Command[] {
  return [
    defineCommand({
      name: 'issue-create',
      description: 'Create an issue in a project: file a bug report, request a feature or note a task.',
      category: 'issue',
      tags: ['write'],
      ...changes,
      errors: ['PROJECT_NOT_FOUND', 'PROJECT_ARCHIVED', ...BAD_REFERENCES],
      requires: ['issue-search'],
      examples: [
        { title: 'A bug', input: { project: 'WEB', title: 'Export drops tags', body: 'Steps: …', type: 'bug' } },
        {
          title: 'A task with steps',
          input: {
            project: 'OPS',
            title: 'Restore a backup',
            type: 'task',
            assignee: 'dana',
            checklist: [{ text: 'Pick a night' }, { text: 'Write down how long it took' }],
          },
        },
      ],
      input: z.object({
        project,
        ...issueFields,
        body: issueFields.body.default(''),
        type: issueFields.type.default('task'),
        priority: issueFields.priority.default('normal'),
        assignee: issueFields.assignee.default(null),
        labels: issueFields.labels.default([]),
        milestoneId: issueFields.milestoneId.default(null),
        sprintId: issueFields.sprintId.default(null),
        points: issueFields.points.default(null),
        checklist: issueFields.checklist.default([]),
      }),
      handler({ project, ...draft }) {
        const found = tracker.projects.get(project)
        if (found === undefined) return noProject(tracker, project)
        if (found.isArchived) return archived(found)
        return findBadReference(tracker, project, draft) ?? success(addIssue(tracker, project, draft))
      },
    }),
    defineCommand({
      name: 'issue-update',
      description:
        'Change an issue: title, text, state, priority, assignee, labels, milestone, sprint, points or checklist. Fields that are left out stay.',
      category: 'issue',
      tags: ['write'],
      ...changes,
      errors: ['ISSUE_NOT_FOUND', 'ISSUE_CLOSED', ...BAD_REFERENCES],
      examples: [{ title: 'Take it into the next sprint', input: { issueId: 'WEB-5', sprintId: 'spr-3', points: 2 } }],
      input: z.object({
        issueId,
        status: z.enum(openStatuses).optional().describe('State of the work; issue-close closes it'),
        ...z.object(issueFields).partial().shape,
      }),
      handler({ issueId, ...fields }) {
        const issue = tracker.issues.get(issueId)
        if (issue === undefined) return noIssue(tracker, issueId)
        if (fields.status !== undefined && issue.status === 'closed') return alreadyClosed(issue)
        const wrong = findBadReference(tracker, issue.project, fields)
        if (wrong !== undefined) return wrong
        const changed = given(fields)
        const updated = { ...issue, ...changed, updatedAt: nextTime(tracker.counters) }
        tracker.issues.set(issueId, updated)
        return success(updated, { reasoning: `Changed ${Object.keys(changed).join(', ') || 'nothing'}.` })
      },
    }),
    defineCommand({
      name: 'issue-delete',
      description: 'Delete an issue and its comments for good. To keep the history, use issue-close instead.',
      category: 'issue',
      tags: ['write', 'admin'],
      ...destroys('Delete {issueId} and all its comments? This cannot be undone.'),
      errors: ['ISSUE_NOT_FOUND'],
      examples: [{ input: { issueId: 'OPS-2' } }],
      input: z.object({ issueId }),
      handler({ issueId }) {
        if (!tracker.issues.delete(issueId)) return noIssue(tracker, issueId)
        const comments = [...tracker.comments.values()].filter((comment) => comment.issueId === issueId)
        for (const { id } of comments) tracker.comments.delete(id)
        const linked = [...tracker.issues.values()].filter(({ links }) => links.some(({ to }) => to === issueId))
        for (const issue of linked) {
          tracker.issues.set(issue.id, { ...issue, links: issue.links.filter(({ to }) => to !== issueId) })
        }
        return success({ deleted: issueId, comments: comments.length, unlinked: linked.map(({ id }) => id) })
      },
    }),
  ]
}
