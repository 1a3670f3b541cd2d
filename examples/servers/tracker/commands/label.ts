// Commands for labels and milestones.

import { type Command, defineCommand, failure, success } from 'toolcrib'
import { z } from 'zod'
import { nextNumber, nextTime } from '../../../shared/counters.ts'
import { changes, reads } from '../../../shared/effects.ts'
import { date } from '../../../shared/fields.ts'
import { noIssue, noLabel, noProject } from '../failures.ts'
import { issueId, project } from '../fields.ts'
import type { Label, Milestone, Tracker } from '../model.ts'

export function labelCommands(tracker: Tracker): Command[] {
  const issues = () => [...tracker.issues.values()]
  return [
    defineCommand({
      name: 'label-list',
      description: 'List the labels with their colour, meaning and number of open issues.',
      category: 'label',
      tags: ['read'],
      ...reads,
      examples: [{ input: {} }],
      input: z.object({}),
      handler() {
        const open = issues().filter(({ status }) => status !== 'closed')
        const items = [...tracker.labels.values()].map((label) => ({
          ...label,
          openIssues: open.filter(({ labels }) => labels.includes(label.name)).length,
        }))
        return success({ items })
      },
    }),
    defineCommand({
      name: 'label-create',
      description: 'Make a new label for issues of all projects.',
      category: 'label',
      tags: ['write', 'admin'],
      ...changes,
      errors: ['LABEL_EXISTS'],
      examples: [{ input: { name: 'good-first-issue', description: 'For newcomers' } }],
      input: z.object({
        name: z
          .string()
          .regex(/^[a-z0-9][a-z0-9-]{1,39}$/, 'not a name like good-first-issue')
          .describe('Lower case with hyphens'),
        colour: z
          .string()
          .regex(/^#[0-9a-f]{6}$/, 'not a colour like #5319e7')
          .default('#ededed')
          .describe('As in #5319e7'),
        description: z.string().max(100).default('').describe('When to use it'),
      }),
      handler(label: Label) {
        if (tracker.labels.has(label.name)) {
          return failure({
            code: 'LABEL_EXISTS',
            message: `There is already a label '${label.name}'`,
            suggestion: `Use it: label-apply with add ['${label.name}'].`,
          })
        }
        tracker.labels.set(label.name, label)
        return success(label)
      },
    }),
    defineCommand({
      name: 'label-apply',
      description: 'Put labels on several issues, or take them off. Nothing changes if an issue or label is missing.',
      category: 'label',
      tags: ['write', 'bulk'],
      ...changes,
      errors: ['ISSUE_NOT_FOUND', 'LABEL_NOT_FOUND'],
      examples: [{ input: { issueIds: ['WEB-3', 'WEB-5'], add: ['accessibility'] } }],
      input: z.object({
        issueIds: z.array(issueId).min(1).max(100),
        add: z.array(z.string()).default([]).describe('Labels to put on'),
        remove: z.array(z.string()).default([]).describe('Labels to take off'),
      }),
      handler({ issueIds, add, remove }) {
        const missing = issueIds.find((id) => !tracker.issues.has(id))
        if (missing !== undefined) return noIssue(tracker, missing)
        const unknown = add.find((name) => !tracker.labels.has(name))
        if (unknown !== undefined) return noLabel(tracker, unknown)
        const updatedAt = nextTime(tracker.counters)
        const changed = issues().flatMap((issue) => {
          if (!issueIds.includes(issue.id)) return []
          const labels = [...new Set([...issue.labels, ...add])].filter((name) => !remove.includes(name))
          return [{ ...issue, labels, updatedAt }]
        })
        for (const issue of changed) tracker.issues.set(issue.id, issue)
        return success({ items: changed.map(({ id, labels }) => ({ id, labels })) })
      },
    }),
    defineCommand({
      name: 'milestone-list',
      description: 'List milestones with their due date and how much of each is done.',
      category: 'milestone',
      tags: ['read', 'planning'],
      ...reads,
      examples: [{ input: { project: 'WEB' } }],
      input: z.object({ project: project.optional() }),
      handler({ project }) {
        const wanted = [...tracker.milestones.values()].filter((one) => (project ?? one.project) === one.project)
        const items = wanted.map((milestone) => {
          const own = issues().filter(({ milestoneId }) => milestoneId === milestone.id)
          return { ...milestone, issues: own.length, closed: own.filter(({ status }) => status === 'closed').length }
        })
        return success({ items })
      },
    }),
    defineCommand({
      name: 'milestone-create',
      description: 'Add a milestone to a project: a release or a date to work towards.',
      category: 'milestone',
      tags: ['write', 'planning'],
      ...changes,
      errors: ['PROJECT_NOT_FOUND'],
      examples: [{ input: { project: 'OPS', title: 'New data centre', dueOn: '2026-09-01' } }],
      input: z.object({
        project,
        title: z.string().min(2).max(100).describe('Name of the milestone'),
        dueOn: date.nullable().default(null).describe('YYYY-MM-DD; null for no date'),
      }),
      handler(input) {
        if (!tracker.projects.has(input.project)) return noProject(tracker, input.project)
        const milestone: Milestone = { id: `mil-${nextNumber(tracker.counters, 'mil')}`, ...input }
        tracker.milestones.set(milestone.id, milestone)
        return success(milestone)
      },
    }),
  ]
}
