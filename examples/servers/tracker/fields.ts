// Schema pieces that the commands of the tracker share.

import { z } from 'zod'
import { issueTypes, priorities } from './model.ts'

export const project = z.string().describe('Project key, such as WEB')
export const issueId = z.string().describe('Issue id, such as WEB-3')
export const sprintId = z.string().describe('Sprint id, such as spr-2')
export const username = z.string().describe('Username of a member, such as amara')
export const markdown = z.string().max(50_000)

const nullable = 'null for none'

/** The fields of an issue that can be set on creation and changed later. */
export const issueFields = {
  title: z.string().min(3).max(200).describe('One line that says what is wrong or wanted'),
  body: markdown.describe('Details in Markdown: steps to reproduce, what was expected'),
  type: z.enum(issueTypes).describe('Kind of issue'),
  priority: z.enum(priorities).describe('How soon it matters'),
  assignee: username.nullable().describe(`Username of who works on it; ${nullable}`),
  labels: z.array(z.string()).max(20).describe('Names of labels that exist'),
  milestoneId: z.string().nullable().describe(`Milestone id, such as mil-1; ${nullable}`),
  sprintId: sprintId.nullable().describe(`Sprint id, such as spr-2; ${nullable}`),
  points: z.number().int().min(0).max(100).nullable().describe(`Estimate in story points; ${nullable}`),
  checklist: z
    .array(z.object({ text: z.string().min(1).max(200), done: z.boolean().default(false) }))
    .max(50)
    .describe('Steps to tick off'),
}
