// The command that imports many issues from another tracker.

import { setImmediate } from 'node:timers/promises'
import { type Command, defineCommand, success } from 'toolcrib'
import { z } from 'zod'
import { changes } from '../../../shared/effects.ts'
import { archived, noProject } from '../failures.ts'
import { issueFields, project } from '../fields.ts'
import type { Tracker } from '../model.ts'
import { addIssue } from '../new-issue.ts'

export function issueImportCommands(tracker: Tracker): Command[] {
  return [
    defineCommand({
      name: 'issue-import',
      description:
        'Import many issues into a project, such as the rows of a spreadsheet. Unknown labels are made; reports progress and can be cancelled.',
      category: 'issue',
      tags: ['write', 'bulk'],
      ...changes,
      executionTime: 'slow',
      errors: ['PROJECT_NOT_FOUND', 'PROJECT_ARCHIVED'],
      examples: [{ input: { project: 'APP', issues: [{ title: 'Icon is blurred', labels: ['design'] }] } }],
      input: z.object({
        project,
        issues: z
          .array(
            z.object({
              title: issueFields.title,
              body: issueFields.body.default(''),
              type: issueFields.type.default('task'),
              priority: issueFields.priority.default('normal'),
              labels: issueFields.labels.default([]),
            }),
          )
          .min(1)
          .max(200),
        dryRun: z.boolean().default(false).describe('Only say what would be made'),
      }),
      async handler({ project, issues, dryRun }, { signal, progress }) {
        const found = tracker.projects.get(project)
        if (found === undefined) return noProject(tracker, project)
        if (found.isArchived) return archived(found)
        const newLabels = [...new Set(issues.flatMap(({ labels }) => labels))].filter(
          (name) => !tracker.labels.has(name),
        )
        if (dryRun) return success({ dryRun, issues: issues.length, newLabels })
        for (const name of newLabels) tracker.labels.set(name, { name, colour: '#ededed', description: '' })
        const created: string[] = []
        for (const draft of issues) {
          const unplanned = { assignee: null, milestoneId: null, sprintId: null, points: null, checklist: [] }
          const { id, title } = addIssue(tracker, project, { ...draft, ...unplanned })
          created.push(id)
          progress(created.length, issues.length, `${id} ${title}`)
          // A cancellation can arrive between two issues. It ends the import here.
          await setImmediate(undefined, { signal })
        }
        return success({ dryRun, created, newLabels })
      },
    }),
  ]
}
