// Commands for comments on issues.

import { type Command, defineCommand, success } from 'toolcrib'
import { z } from 'zod'
import { nextNumber, nextTime } from '../../../shared/counters.ts'
import { changes, destroys, reads } from '../../../shared/effects.ts'
import { pageOf, paging } from '../../../shared/fields.ts'
import { noComment, noIssue, noMember } from '../failures.ts'
import { issueId, markdown, username } from '../fields.ts'
import type { Comment, Tracker } from '../model.ts'

export function commentCommands(tracker: Tracker): Command[] {
  return [
    defineCommand({
      name: 'comment-list',
      description: 'List the comments on an issue, the oldest first.',
      category: 'comment',
      tags: ['read'],
      ...reads,
      errors: ['ISSUE_NOT_FOUND'],
      examples: [{ input: { issueId: 'WEB-4' } }],
      input: z.object({ issueId, ...paging }),
      handler({ issueId, ...page }) {
        if (!tracker.issues.has(issueId)) return noIssue(tracker, issueId)
        const comments = [...tracker.comments.values()].filter((one) => one.issueId === issueId)
        return success(pageOf(comments, page))
      },
    }),
    defineCommand({
      name: 'comment-add',
      description: 'Comment on an issue. Members that the text mentions with @ are told.',
      category: 'comment',
      tags: ['write'],
      ...changes,
      errors: ['ISSUE_NOT_FOUND', 'MEMBER_NOT_FOUND'],
      examples: [{ input: { issueId: 'APP-1', author: 'dana', body: 'Seen on Android 15 too, @chen.' } }],
      input: z.object({ issueId, author: username, body: markdown.min(1).describe('Markdown') }),
      handler({ issueId, author, body }) {
        const issue = tracker.issues.get(issueId)
        if (issue === undefined) return noIssue(tracker, issueId)
        if (!tracker.members.has(author)) return noMember(tracker, author)
        const createdAt = nextTime(tracker.counters)
        const comment: Comment = { id: `com-${nextNumber(tracker.counters, 'com')}`, issueId, author, body, createdAt }
        tracker.comments.set(comment.id, comment)
        tracker.issues.set(issueId, { ...issue, updatedAt: createdAt })
        const mentioned = [...body.matchAll(/@(\w+)/g)].map(([, name = '']) => name)
        return success({ ...comment, told: [...new Set(mentioned)].filter((name) => tracker.members.has(name)) })
      },
    }),
    defineCommand({
      name: 'comment-delete',
      description: 'Delete a comment for good.',
      category: 'comment',
      tags: ['write', 'admin'],
      ...destroys('Delete the comment {commentId}? This cannot be undone.'),
      errors: ['COMMENT_NOT_FOUND'],
      examples: [{ input: { commentId: 'com-1' } }],
      input: z.object({ commentId: z.string().describe('Comment id, such as com-1') }),
      handler({ commentId }) {
        if (!tracker.comments.delete(commentId)) return noComment(tracker, commentId)
        return success({ deleted: commentId })
      },
    }),
  ]
}
