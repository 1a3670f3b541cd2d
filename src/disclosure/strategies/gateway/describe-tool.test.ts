import { describe, expect, it } from 'vitest'
import { createSchemaValidator } from '../../../core/json-schema.ts'
import { describeTool } from './describe-tool.ts'

const inputSchema = {
  type: 'object',
  properties: {
    repo: { type: 'string', description: 'Repository name (owner/repo)' },
    title: { type: 'string', description: 'Issue title' },
    body: { type: 'string', description: 'Issue body (markdown)' },
  },
  required: ['repo', 'title'],
}
const createIssue = {
  server: 'github',
  tool: 'create_issue',
  description: 'Create a new GitHub issue in a repository',
  inputSchema,
}
const validator = createSchemaValidator()
const validate = (input: unknown) => validator.validate(inputSchema, input)

describe('describeTool', () => {
  it('lists the parameters, without a description that only repeats known words', async () => {
    expect(await describeTool(createIssue)).toEqual({
      server: 'github',
      tool: 'create_issue',
      description: 'Create a new GitHub issue in a repository',
      parameters: [
        { name: 'repo', type: 'string', description: 'Repository name (owner/repo)', required: true },
        { name: 'title', type: 'string', required: true },
        { name: 'body', type: 'string', description: 'Issue body (markdown)', required: false },
      ],
    })
  })

  it('gives the complete schema and description on request', async () => {
    const description = 'Long. '.repeat(500)
    expect(await describeTool({ ...createIssue, description }, { schema: true })).toEqual({
      server: 'github',
      tool: 'create_issue',
      description,
      schema: inputSchema,
    })
  })

  it('gives a long description the room that the parameters leave, and marks the cut', async () => {
    const description = 'A sentence of thirty letters. '.repeat(40)
    const few = await describeTool({ ...createIssue, description, inputSchema: { type: 'object' } })
    const many = await describeTool({ ...createIssue, description })
    expect(few.description.length).toBeGreaterThan(many.description.length)
    expect(few.description.length).toBeLessThanOrEqual(320)
    expect(many.description).toMatch(/letters\.…$/)
  })

  it("shows up to three of the author's examples with their descriptions, on request", async () => {
    const input = { repo: 'owner/repo', title: 'Bug' }
    const examples = [{ title: 'Short', input }, { description: 'Create a bug report', input }, { input }, { input }]
    expect((await describeTool({ ...createIssue, examples }, { examples: true })).examples).toEqual([
      { description: 'Short', parameters: input },
      { description: 'Create a bug report', parameters: input },
      { description: 'Example', parameters: input },
    ])
    expect(await describeTool({ ...createIssue, examples })).not.toHaveProperty('examples')
  })

  it('shows the examples of the schema if they are valid, else the smallest valid call', async () => {
    const fitting = { repo: 'a/b', title: 'c' }
    const withExamples = { ...createIssue, validate, inputSchema: { ...inputSchema, examples: [{ repo: 5 }, fitting] } }
    expect((await describeTool(withExamples, { examples: true })).examples).toEqual([
      { description: 'Example from the schema', parameters: fitting },
    ])
    expect((await describeTool({ ...createIssue, validate }, { examples: true })).examples).toEqual([
      { description: 'Smallest call', parameters: { repo: 'example', title: 'example' } },
    ])
  })

  it('shows no example that the tool refuses, or that cannot be checked', async () => {
    const refuse = () => ({ ok: false, issues: [] }) as const
    const broken = () => {
      throw new Error('broken')
    }
    for (const check of [{}, { validate: refuse }, { validate: broken }]) {
      expect(await describeTool({ ...createIssue, ...check }, { examples: true })).not.toHaveProperty('examples')
    }
  })

  it('shows no example that is longer than 2,000 characters', async () => {
    const examples = [{ input: { repo: 'x'.repeat(5_000) } }]
    expect(await describeTool({ ...createIssue, examples }, { examples: true })).not.toHaveProperty('examples')
  })
})
