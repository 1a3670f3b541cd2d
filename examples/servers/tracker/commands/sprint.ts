// Commands that plan, start and complete sprints, and show their burndown.

import { type Command, defineCommand, failure, success } from 'toolcrib'
import { z } from 'zod'
import { nextNumber, now } from '../../../shared/counters.ts'
import { addDays } from '../../../shared/days.ts'
import { changes, reads } from '../../../shared/effects.ts'
import { date } from '../../../shared/fields.ts'
import { burndownOf, drawBurndown } from '../burndown.ts'
import { noProject, noSprint } from '../failures.ts'
import { project, sprintId } from '../fields.ts'
import { type Sprint, sprintStates, type Tracker } from '../model.ts'
import { findBadReference } from '../references.ts'

export function sprintCommands(tracker: Tracker): Command[] {
  const issuesIn = (id: string) => [...tracker.issues.values()].filter((issue) => issue.sprintId === id)
  const save = (sprint: Sprint) => {
    tracker.sprints.set(sprint.id, sprint)
    return sprint
  }
  return [
    defineCommand({
      name: 'sprint-list',
      description: 'List sprints with their dates, goal, state and the points in them.',
      category: 'sprint',
      tags: ['read', 'planning'],
      ...reads,
      examples: [{ input: { project: 'WEB', states: ['planned', 'active'] } }],
      input: z.object({
        project: project.optional(),
        states: z
          .array(z.enum(sprintStates))
          .min(1)
          .default([...sprintStates])
          .describe('In any of these states'),
      }),
      handler({ project, states }) {
        const wanted = [...tracker.sprints.values()].filter(
          (sprint) => (project ?? sprint.project) === sprint.project && states.includes(sprint.state),
        )
        const items = wanted.map((sprint) => {
          const issues = issuesIn(sprint.id)
          return {
            ...sprint,
            issues: issues.length,
            points: issues.reduce((sum, { points }) => sum + (points ?? 0), 0),
          }
        })
        return success({ items })
      },
    }),
    defineCommand({
      name: 'sprint-create',
      description: 'Plan a sprint for a project. Put issues into it with issue-update and its sprintId.',
      category: 'sprint',
      tags: ['write', 'planning'],
      ...changes,
      errors: ['PROJECT_NOT_FOUND'],
      examples: [{ input: { project: 'APP', goal: 'No more crashes', startsOn: '2026-03-09' } }],
      input: z.object({
        project,
        goal: z.string().min(3).max(200).describe('What will be true at its end'),
        startsOn: date.describe('First day, YYYY-MM-DD'),
        days: z.number().int().min(2).max(31).default(12).describe('Length in days'),
      }),
      handler({ project, goal, startsOn, days }) {
        if (!tracker.projects.has(project)) return noProject(tracker, project)
        const number = nextNumber(tracker.counters, 'spr')
        const dates = { startsOn, endsOn: addDays(startsOn, days - 1) }
        return success(
          save({ id: `spr-${number}`, project, name: `Sprint ${number}`, goal, ...dates, state: 'planned' }),
        )
      },
    }),
    defineCommand({
      name: 'sprint-start',
      description: 'Start a planned sprint. A project has one active sprint at a time.',
      category: 'sprint',
      tags: ['write', 'planning'],
      ...changes,
      errors: ['SPRINT_NOT_FOUND', 'SPRINT_NOT_PLANNED', 'SPRINT_ACTIVE'],
      examples: [{ input: { sprintId: 'spr-4' } }],
      input: z.object({ sprintId }),
      handler({ sprintId }) {
        const sprint = tracker.sprints.get(sprintId)
        if (sprint === undefined) return noSprint(tracker, sprintId)
        if (sprint.state !== 'planned') return wrongState(sprint, 'planned')
        const running = [...tracker.sprints.values()].find(
          (one) => one.project === sprint.project && one.state === 'active',
        )
        if (running === undefined) return success(save({ ...sprint, state: 'active' }))
        return failure({
          code: 'SPRINT_ACTIVE',
          message: `${running.id} of ${running.project} is still active`,
          suggestion: `Call sprint-complete with sprintId '${running.id}' and moveTo '${sprintId}' first.`,
        })
      },
    }),
    defineCommand({
      name: 'sprint-complete',
      description: 'End the active sprint. Unfinished issues move to another sprint, or back to no sprint at all.',
      category: 'sprint',
      tags: ['write', 'planning'],
      ...changes,
      errors: ['SPRINT_NOT_FOUND', 'SPRINT_NOT_ACTIVE', 'SPRINT_NOT_PLANNED', 'OTHER_PROJECT'],
      examples: [{ input: { sprintId: 'spr-2', moveTo: 'spr-3' } }],
      input: z.object({
        sprintId,
        moveTo: sprintId.nullable().default(null).describe('Sprint for what is unfinished; null for none'),
      }),
      handler({ sprintId, moveTo }) {
        const sprint = tracker.sprints.get(sprintId)
        if (sprint === undefined) return noSprint(tracker, sprintId)
        if (sprint.state !== 'active') return wrongState(sprint, 'active')
        const wrong = findBadReference(tracker, sprint.project, { sprintId: moveTo })
        if (wrong !== undefined) return wrong
        const next = moveTo === null ? undefined : tracker.sprints.get(moveTo)
        if (next !== undefined && next.state !== 'planned') return wrongState(next, 'planned')
        const unfinished = issuesIn(sprintId).filter(({ status }) => status !== 'closed')
        for (const issue of unfinished) tracker.issues.set(issue.id, { ...issue, sprintId: moveTo })
        return success({ ...save({ ...sprint, state: 'completed' }), moved: unfinished.map(({ id }) => id), moveTo })
      },
    }),
    defineCommand({
      name: 'sprint-burndown',
      description: 'Show the burndown chart of a sprint: the points left on each day, as numbers and as a picture.',
      category: 'sprint',
      tags: ['read', 'report'],
      ...reads,
      executionTime: 'fast',
      errors: ['SPRINT_NOT_FOUND'],
      examples: [{ input: { sprintId: 'spr-2' } }],
      input: z.object({ sprintId }),
      handler({ sprintId }) {
        const sprint = tracker.sprints.get(sprintId)
        if (sprint === undefined) return noSprint(tracker, sprintId)
        const days = burndownOf(sprint, issuesIn(sprintId), now(tracker.counters).slice(0, 10))
        const image = { type: 'image' as const, mimeType: 'image/png', data: drawBurndown(days) }
        return success({ sprint: sprint.name, goal: sprint.goal, days }, { content: [image] })
      },
    }),
  ]
}

function wrongState({ id, state }: Sprint, wanted: 'planned' | 'active') {
  return failure({
    code: `SPRINT_NOT_${wanted.toUpperCase()}`,
    message: `${id} is ${state}, not ${wanted}`,
    suggestion: `Call sprint-list with states ['${wanted}'] to find one that is.`,
  })
}
