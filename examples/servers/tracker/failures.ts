// The failures that commands of the tracker share, each with the call to make next.

import { type FailureResult, failure } from 'toolcrib'
import { notFoundFor } from '../../shared/not-found.ts'
import type { Issue, Project, Tracker } from './model.ts'

const notFound = notFoundFor({
  project: 'Call project-list to see the keys.',
  issue: 'Call issue-search with a word of its title, or issue-list, to find the id.',
  comment: 'Call comment-list with the issueId to find the id.',
  label: 'Call label-list to see the labels, or label-create to make one.',
  milestone: 'Call milestone-list to find the id.',
  sprint: 'Call sprint-list to find the id.',
  member: 'Call member-list to see the usernames.',
})

export const noProject = ({ projects }: Tracker, key: string) => notFound('project', key, projects.keys())
export const noIssue = ({ issues }: Tracker, id: string) => notFound('issue', id, issues.keys())
export const noComment = ({ comments }: Tracker, id: string) => notFound('comment', id, comments.keys())
export const noLabel = ({ labels }: Tracker, name: string) => notFound('label', name, labels.keys())
export const noMilestone = ({ milestones }: Tracker, id: string) => notFound('milestone', id, milestones.keys())
export const noSprint = ({ sprints }: Tracker, id: string) => notFound('sprint', id, sprints.keys())
export const noMember = ({ members }: Tracker, username: string) => notFound('member', username, members.keys())

export function archived({ key }: Project): FailureResult {
  return failure({
    code: 'PROJECT_ARCHIVED',
    message: `Project ${key} is archived and takes no new issues`,
    suggestion: `Call project-archive with project '${key}' and archived false, or choose another from project-list.`,
  })
}

export function alreadyClosed({ id, resolution }: Issue): FailureResult {
  return failure({
    code: 'ISSUE_CLOSED',
    message: `Issue ${id} is closed (${resolution})`,
    suggestion: `Call issue-reopen with issueId '${id}' first, or comment-add to say something about it.`,
  })
}
