// Commands for projects and their members.

import { type Command, defineCommand, failure, success } from 'toolcrib'
import { z } from 'zod'
import { changes, reads } from '../../../shared/effects.ts'
import { noMember, noProject } from '../failures.ts'
import { project, username } from '../fields.ts'
import type { Project, Tracker } from '../model.ts'

export function projectCommands(tracker: Tracker): Command[] {
  const openIssues = (matches: (issue: { project: string; assignee: string | null }) => boolean) =>
    [...tracker.issues.values()].filter((issue) => issue.status !== 'closed' && matches(issue)).length
  return [
    defineCommand({
      name: 'project-list',
      description: 'List the projects (repositories of work) with their key, lead and number of open issues.',
      category: 'project',
      tags: ['read'],
      ...reads,
      examples: [{ input: {} }],
      input: z.object({ withArchived: z.boolean().default(false).describe('Also those that are archived') }),
      handler({ withArchived }) {
        const wanted = [...tracker.projects.values()].filter(({ isArchived }) => withArchived || !isArchived)
        const items = wanted.map((one) => ({ ...one, openIssues: openIssues((issue) => issue.project === one.key) }))
        return success({ items })
      },
    }),
    defineCommand({
      name: 'project-create',
      description: 'Start a project. Its key begins the ids of its issues and cannot be changed later.',
      category: 'project',
      tags: ['write', 'admin'],
      ...changes,
      errors: ['KEY_TAKEN', 'MEMBER_NOT_FOUND'],
      examples: [{ input: { key: 'DOCS', name: 'Handbook', lead: 'bo' } }],
      input: z.object({
        key: z
          .string()
          .regex(/^[A-Z][A-Z0-9]{1,9}$/, 'not a key like DOCS: two to ten capitals')
          .describe('Two to ten capitals, such as DOCS'),
        name: z.string().min(2).max(80).describe('Full name'),
        description: z.string().max(500).default('').describe('What it is for'),
        lead: username,
      }),
      handler(input) {
        const taken = tracker.projects.get(input.key)
        if (taken !== undefined) return keyTaken(taken)
        if (!tracker.members.has(input.lead)) return noMember(tracker, input.lead)
        const created: Project = { ...input, isArchived: false }
        tracker.projects.set(created.key, created)
        return success(created)
      },
    }),
    defineCommand({
      name: 'project-archive',
      description: 'Archive a project, or take it out of the archive. An archived one takes no new issues.',
      category: 'project',
      tags: ['write', 'admin'],
      ...changes,
      errors: ['PROJECT_NOT_FOUND'],
      examples: [{ input: { project: 'OPS' } }],
      input: z.object({ project, archived: z.boolean().default(true).describe('False to take it out again') }),
      handler({ project, archived }) {
        const found = tracker.projects.get(project)
        if (found === undefined) return noProject(tracker, project)
        const updated = { ...found, isArchived: archived }
        tracker.projects.set(project, updated)
        return success(updated)
      },
    }),
    defineCommand({
      name: 'member-list',
      description: 'List the people who can be assigned to issues, with the number of open issues each has.',
      category: 'project',
      tags: ['read', 'planning'],
      ...reads,
      examples: [{ input: {} }],
      input: z.object({}),
      handler: () =>
        success({
          items: [...tracker.members.values()].map((member) => ({
            ...member,
            openIssues: openIssues(({ assignee }) => assignee === member.username),
          })),
        }),
    }),
  ]
}

function keyTaken({ key, name }: Project) {
  return failure({
    code: 'KEY_TAKEN',
    message: `The key ${key} belongs to the project '${name}'`,
    suggestion: 'Choose another key; project-list with withArchived true shows those in use.',
  })
}
