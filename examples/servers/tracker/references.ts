// Checks that the records an issue refers to exist, and belong to its project if necessary.

import { type FailureResult, failure } from 'toolcrib'
import { noLabel, noMember, noMilestone, noSprint } from './failures.ts'
import type { Issue, Tracker } from './model.ts'

export type References = { -readonly [K in 'assignee' | 'labels' | 'milestoneId' | 'sprintId']?: Issue[K] | undefined }

export function findBadReference(tracker: Tracker, project: string, given: References): FailureResult | undefined {
  const { assignee, labels = [], milestoneId, sprintId } = given
  if (assignee && !tracker.members.has(assignee)) return noMember(tracker, assignee)
  const label = labels.find((name) => !tracker.labels.has(name))
  if (label !== undefined) return noLabel(tracker, label)
  const milestone = milestoneId ? tracker.milestones.get(milestoneId) : undefined
  if (milestoneId && milestone === undefined) return noMilestone(tracker, milestoneId)
  const sprint = sprintId ? tracker.sprints.get(sprintId) : undefined
  if (sprintId && sprint === undefined) return noSprint(tracker, sprintId)
  const foreign = [milestone, sprint].find((one) => one !== undefined && one.project !== project)
  return foreign === undefined ? undefined : otherProject(foreign.id, foreign.project, project)
}

function otherProject(id: string, owner: string, wanted: string): FailureResult {
  const list = id.startsWith('spr') ? 'sprint-list' : 'milestone-list'
  return failure({
    code: 'OTHER_PROJECT',
    message: `${id} belongs to ${owner}, not to ${wanted}`,
    suggestion: `Call ${list} with project '${wanted}' and use one of those.`,
  })
}
