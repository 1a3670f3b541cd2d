// For tests: the tools of a real server (Tana) with their categories and examples, all with one typical input schema.

import { z } from 'zod'
import { success } from '../../../core/result.ts'

type Row = readonly [name: string, category: string, description: string, example: string]

const ROWS: readonly Row[] = [
  ['tana_search', 'query', 'Full-text search on node names', 'Find notes about budgets'],
  ['tana_tagged', 'query', 'Find nodes with a supertag', 'Show all my todos'],
  ['tana_semantic_search', 'query', 'Vector similarity search', 'Find notes like this idea'],
  ['tana_field_values', 'query', 'Query values of a field', 'List all statuses in use'],
  ['tana_supertags', 'explore', 'List supertags in the workspace', 'What supertags do I have?'],
  ['tana_stats', 'explore', 'Database statistics', 'How many nodes are there?'],
  ['tana_supertag_info', 'explore', 'Fields and inheritance of a supertag', 'What fields has meeting?'],
  ['tana_node', 'explore', 'Show the contents of a node', 'Show node abc123'],
  ['tana_transcript_list', 'transcript', 'List meetings with transcripts', 'Recent transcripts'],
  ['tana_transcript_show', 'transcript', 'Show the transcript of a meeting', 'Transcript of standup'],
  ['tana_transcript_search', 'transcript', 'Search in transcripts', 'Who talked about hiring?'],
  ['tana_create', 'mutate', 'Create a node with tags and fields', 'Add a todo: buy milk'],
  ['tana_sync', 'mutate', 'Reindex, or show the sync status', 'Reindex my export'],
  ['tana_cache_clear', 'system', 'Clear cached workspace data', 'Clear the cache'],
]

/** Like the input of most tools: a few fields, some with a bound or a default. */
const typicalInput = z.object({
  query: z.string().min(1).describe('Words to look for in the names of nodes'),
  workspace: z.string().optional().describe('Alias of the workspace; the default one if left out'),
  limit: z.number().int().min(1).max(100).default(20).describe('Most results to return'),
  createdAfter: z.string().optional().describe('Only nodes created after this date (YYYY-MM-DD)'),
  createdBefore: z.string().optional().describe('Only nodes created before this date (YYYY-MM-DD)'),
  includeAncestor: z.boolean().default(true).describe('Include the nearest tagged ancestor of each result'),
  select: z.array(z.string()).optional().describe('Fields to return; all of them if left out'),
})

export const CATEGORIES = {
  query: 'Find and search',
  explore: 'Browse and inspect',
  transcript: 'Meeting transcripts',
  mutate: 'Create and modify',
  system: 'Cache and discovery',
}

export const QUICK_ACTIONS = ['search', 'create', 'tagged', 'show']

export const tanaTools = ROWS.map(([name, category, description, example]) => ({
  name,
  category,
  description,
  example,
  inputSchema: z.toJSONSchema(typicalInput, { io: 'input' }),
}))

/** The same tools as commands, with kebab-case names. */
export const tanaCommands = ROWS.map(([name, category, description, title]) => ({
  name: name.replaceAll('_', '-'),
  category,
  description,
  input: typicalInput,
  examples: [{ title, input: { query: 'x' } }],
  handler: () => success({}),
}))
