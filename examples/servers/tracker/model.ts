// The records of a tracker: projects, issues, milestones and sprints.

import type { Counters } from '../../shared/counters.ts'

export const issueTypes = ['bug', 'feature', 'task'] as const
export const priorities = ['low', 'normal', 'high', 'urgent'] as const
export const statuses = ['open', 'in-progress', 'in-review', 'closed'] as const
/** The states that `issue-update` can set. `issue-close` closes an issue, because it also needs a resolution. */
export const openStatuses = ['open', 'in-progress', 'in-review'] as const
export const resolutions = ['done', 'wont-do', 'duplicate', 'cannot-reproduce'] as const
export const relations = ['blocks', 'duplicates', 'relates-to'] as const
export const sprintStates = ['planned', 'active', 'completed'] as const

export interface Member {
  readonly username: string
  readonly name: string
}

export interface Project {
  /** The prefix of the issue ids, such as WEB in WEB-1. */
  readonly key: string
  readonly name: string
  readonly description: string
  readonly lead: string
  readonly isArchived: boolean
}

export interface ChecklistItem {
  readonly text: string
  readonly done: boolean
}

export interface IssueLink {
  readonly relation: (typeof relations)[number]
  readonly to: string
}

export interface Issue {
  readonly id: string
  readonly project: string
  readonly title: string
  readonly body: string
  readonly type: (typeof issueTypes)[number]
  readonly priority: (typeof priorities)[number]
  readonly status: (typeof statuses)[number]
  readonly resolution: (typeof resolutions)[number] | null
  readonly assignee: string | null
  readonly labels: readonly string[]
  readonly milestoneId: string | null
  readonly sprintId: string | null
  readonly points: number | null
  readonly checklist: readonly ChecklistItem[]
  readonly links: readonly IssueLink[]
  readonly createdAt: string
  readonly updatedAt: string
  readonly closedAt: string | null
}

export interface Comment {
  readonly id: string
  readonly issueId: string
  readonly author: string
  readonly body: string
  readonly createdAt: string
}

export interface Label {
  readonly name: string
  readonly colour: string
  readonly description: string
}

export interface Milestone {
  readonly id: string
  readonly project: string
  readonly title: string
  readonly dueOn: string | null
}

export interface Sprint {
  readonly id: string
  readonly project: string
  readonly name: string
  readonly goal: string
  readonly startsOn: string
  readonly endsOn: string
  readonly state: (typeof sprintStates)[number]
}

/** Records are replaced, never edited, so a result that was already returned does not change. */
export interface Tracker {
  readonly members: Map<string, Member>
  readonly projects: Map<string, Project>
  readonly issues: Map<string, Issue>
  readonly comments: Map<string, Comment>
  readonly labels: Map<string, Label>
  readonly milestones: Map<string, Milestone>
  readonly sprints: Map<string, Sprint>
  readonly counters: Counters
}
