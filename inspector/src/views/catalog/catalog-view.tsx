// Catalog: all tools, filtered by text, server, category, tag and state.

import { useEffect, useMemo, useState } from 'preact/hooks'
import type { InspectorToolRow } from '../../../../src/front/inspector/api.ts'
import { count, number, tokens } from '../../format.ts'
import { Badge } from '../../parts/badge.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { Select } from '../../parts/select.tsx'
import { ServerText } from '../../parts/server-text.tsx'
import { Empty, Failure, Skeleton } from '../../parts/state.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { hrefTo, replaceQuery } from '../../route.ts'
import type { GatewayData } from '../view-props.ts'
import { filterable, STATES, type ToolFilter } from './filter-tools.ts'

const ROW_HEIGHT = 64

interface CatalogViewProps {
  readonly data: GatewayData
  readonly query: URLSearchParams
}

export function CatalogView({ data: { tools }, query }: CatalogViewProps) {
  const [filter, setFilter] = useState(() => filterIn(query))
  const rows = tools.data?.tools
  const list = useMemo(() => filterable(rows ?? []), [rows])
  const found = useMemo(() => list.filter(filter), [list, filter])
  // A link of the navigation and the history of the browser can change the query while this view is open.
  useEffect(() => setFilter(filterIn(query)), [query])
  const change = (part: Partial<ToolFilter>) => {
    const next = { ...filter, ...part }
    setFilter(next)
    replaceQuery('tools', undefined, { ...next })
  }
  return (
    <>
      <PageHead title="Catalog" name="Catalog">
        <span aria-live="polite">{rows === undefined ? 'Loading the tools' : summaryOf(found, rows.length)}</span>
      </PageHead>
      <search class="filters">
        <SearchField
          label="Filter by name, description or tag"
          value={filter.text}
          onInput={(text) => change({ text })}
        />
        <Select label="Server" value={filter.server} options={list.servers} onChange={(server) => change({ server })} />
        <Select
          label="Category"
          value={filter.category}
          options={list.categories}
          onChange={(category) => change({ category })}
        />
        <Select label="Tag" value={filter.tag} options={list.tags} onChange={(tag) => change({ tag })} />
        <Select label="State" value={filter.state} options={STATES} onChange={(state) => change({ state })} />
      </search>
      {tools.failure !== undefined && (
        <Failure failure={tools.failure} what="The tools cannot be loaded." onRetry={tools.reload} />
      )}
      {rows === undefined && tools.failure === undefined && <Skeleton lines={10} label="Loading the tools" />}
      {rows?.length === 0 && (
        <Empty title="No tool is known yet">
          Servers list their tools when they start. See their state in the overview.
        </Empty>
      )}
      {rows !== undefined && rows.length > 0 && found.length === 0 && (
        <Empty title="No tool matches these filters">
          <button
            type="button"
            class="button"
            onClick={() => change({ text: '', server: '', category: '', tag: '', state: '' })}
          >
            Remove all filters
          </button>
        </Empty>
      )}
      <VirtualList items={found} rowHeight={ROW_HEIGHT} label="Tools" keyOf={({ id }) => id}>
        {(tool) => <ToolRow tool={tool} />}
      </VirtualList>
    </>
  )
}

const CHANGES: Readonly<Record<NonNullable<InspectorToolRow['change']>, string>> = {
  changed: 'changed',
  new: 'new',
  unknown: 'pins not read',
}

function ToolRow({ tool }: { readonly tool: InspectorToolRow }) {
  return (
    <a class={`tool-row${tool.availability === 'enabled' ? '' : ' is-disabled'}`} href={hrefTo('tools', tool.id)}>
      <span class="tool-id mono one-line">
        <span class="tool-server">
          <ServerText text={tool.server} />:
        </span>
        <ServerText text={tool.name} />
      </span>
      <span class="badges">
        {tool.availability !== 'enabled' && <Badge isState>{tool.availability}</Badge>}
        {tool.change !== undefined && <Badge tone="warn">{CHANGES[tool.change]}</Badge>}
        {tool.warnings > 0 && <Badge tone="warn">{count(tool.warnings, 'warning')}</Badge>}
        {tool.isReadOnly === true && <Badge>read only</Badge>}
      </span>
      <span class="tool-summary one-line">
        <span class="tool-from">{tool.server} · </span>
        <ServerText text={tool.summary} />
      </span>
      <span class="tool-figures">
        <span class="tool-calls">{tool.calls > 0 && count(tool.calls, 'call')}</span>
        <span class="tool-tokens">{tool.tokens === undefined ? 'counting' : tokens(tool.tokens)}</span>
      </span>
    </a>
  )
}

function summaryOf(found: readonly InspectorToolRow[], all: number): string {
  const shown = found.length === all ? count(all, 'tool') : `${number(found.length)} of ${count(all, 'tool')}`
  const refused = (['disabled', 'blocked'] as const)
    .map((state) => ({ state, total: found.filter(({ availability }) => availability === state).length }))
    .filter(({ total }) => total > 0)
    .map(({ state, total }) => `, ${number(total)} ${state}`)
  const isCounting = found.some((tool) => tool.tokens === undefined)
  const sum = found.reduce((total, tool) => total + (tool.tokens ?? 0), 0)
  return `${shown}${refused.join('')} · ${isCounting ? 'counting tokens' : `${tokens(sum)} with their schemas`}`
}

function filterIn(query: URLSearchParams): ToolFilter {
  const value = (key: keyof ToolFilter) => query.get(key) ?? ''
  return {
    text: value('text'),
    server: value('server'),
    category: value('category'),
    tag: value('tag'),
    state: value('state'),
  }
}
