// Filters the rows of the catalog. The texts to compare are prepared once per list.

import type { InspectorToolRow } from '../../../../src/front/inspector/api.ts'

export const STATES = ['enabled', 'disabled', 'blocked', 'changed', 'new', 'warnings', 'read-only'] as const

export interface ToolFilter {
  readonly text: string
  readonly server: string
  readonly category: string
  readonly tag: string
  readonly state: string
}

interface FilterableTools {
  readonly servers: readonly string[]
  readonly categories: readonly string[]
  readonly tags: readonly string[]
  /** An empty string in the filter means all. */
  filter(filter: ToolFilter): readonly InspectorToolRow[]
}

export function filterable(tools: readonly InspectorToolRow[]): FilterableTools {
  const texts = tools.map(({ id, summary, tags }) => `${id} ${summary} ${tags.join(' ')}`.toLowerCase())
  return {
    servers: distinct(tools.map(({ server }) => server)),
    categories: distinct(tools.map(({ category }) => category)),
    tags: distinct(tools.flatMap(({ tags }) => tags)),
    filter({ text, server, category, tag, state }) {
      const words = text.toLowerCase().split(/\s+/).filter(Boolean)
      return tools.filter(
        (tool, at) =>
          (server === '' || tool.server === server) &&
          (category === '' || tool.category === category) &&
          (tag === '' || tool.tags.includes(tag)) &&
          hasState(tool, state) &&
          words.every((word) => texts[at]?.includes(word)),
      )
    },
  }
}

function hasState(tool: InspectorToolRow, state: string): boolean {
  if (state === 'enabled' || state === 'disabled' || state === 'blocked') return tool.availability === state
  if (state === 'changed' || state === 'new') return tool.change === state
  if (state === 'warnings') return tool.warnings > 0
  if (state === 'read-only') return tool.isReadOnly === true
  return true
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)].filter((value) => value !== '').sort((a, b) => a.localeCompare(b))
}
