// Search playground: the ranked tools of a question with the reasons, and what the model sees under each strategy.

import { useEffect, useState } from 'preact/hooks'
import type { InspectorSearch } from '../../../../src/front/inspector/api.ts'
import { count } from '../../format.ts'
import { useLatest } from '../../gateway/use-latest.ts'
import { useResource } from '../../gateway/use-resource.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { Empty, Failure, Skeleton } from '../../parts/state.tsx'
import { replaceQuery } from '../../route.ts'
import type { GatewayData } from '../view-props.ts'
import { Answers } from './answers.tsx'
import { Hits } from './hits.tsx'

/** The search starts this long after the last key press. */
const PAUSE_MS = 150
const MAX_STRATEGIES = 4

interface SearchViewProps {
  readonly data: GatewayData
  readonly query: URLSearchParams
}

export function SearchView({ data: { overview }, query }: SearchViewProps) {
  const [text, setText] = useState(query.get('q') ?? '')
  const offered = overview.costs.map(({ strategy }) => strategy)
  const [chosen, setChosen] = useState<readonly string[]>(() => initialStrategies(overview))
  const asked = useDelayed(text.trim(), PAUSE_MS)
  const path =
    asked === '' ? undefined : `api/search?${new URLSearchParams({ q: asked, strategies: chosen.join(',') })}`
  const { data, failure, isLoading, reload } = useResource<InspectorSearch>(path)
  // The last answer stays until the next one has arrived, so that the page does not jump while the user types.
  const shown = useLatest(data, path === undefined)
  // A link of the navigation and the history of the browser can change the query while this view is open.
  useEffect(() => setText(query.get('q') ?? ''), [query])
  useEffect(() => replaceQuery('search', undefined, { q: asked }), [asked])
  const toggle = (strategy: string) =>
    setChosen((before) =>
      before.includes(strategy)
        ? before.filter((name) => name !== strategy)
        : [...before, strategy].slice(-MAX_STRATEGIES),
    )
  return (
    <>
      <PageHead title="Search" name="Search">
        Ask as a model would, and see what it gets back.
      </PageHead>
      <search class="stack">
        <SearchField
          label="Question"
          placeholder="For example: create an issue"
          isLarge
          value={text}
          onInput={setText}
        />
        <fieldset class="chips">
          <legend>Strategies side by side, up to {MAX_STRATEGIES}</legend>
          {offered.map((strategy) => (
            <label key={strategy} class="chip">
              <input type="checkbox" checked={chosen.includes(strategy)} onChange={() => toggle(strategy)} />
              <span>{strategy}</span>
            </label>
          ))}
        </fieldset>
      </search>
      <p class="visually-hidden" role="status">
        {shown !== undefined && `${count(shown.hits.length, 'tool')} found for ${shown.query}`}
      </p>
      {failure !== undefined && <Failure failure={failure} what="The search failed." onRetry={reload} />}
      {asked === '' && <Start onChoose={setText} />}
      {isLoading && shown === undefined && <Skeleton lines={8} label="Searching" />}
      {shown !== undefined && (
        <div class={`search-columns${isLoading ? ' is-stale' : ''}`}>
          <Hits search={shown} />
          <Answers answers={shown.answers} />
        </div>
      )}
    </>
  )
}

const EXAMPLES = ['create an issue', 'read a file', 'what changed last week', 'send a message']

function Start({ onChoose }: { onChoose(text: string): void }) {
  return (
    <Empty title="Type a question">
      <p>Each result shows the terms and fields that matched.</p>
      <p class="examples">
        {EXAMPLES.map((example) => (
          <button key={example} type="button" class="button" onClick={() => onChoose(example)}>
            {example}
          </button>
        ))}
      </p>
    </Empty>
  )
}

/** The strategy in use and, for comparison, the cheapest other strategy that does not list everything. */
function initialStrategies({ gateway, costs }: GatewayData['overview']): readonly string[] {
  const current = costs.find(({ isCurrent }) => isCurrent)?.strategy ?? gateway.strategy
  const others = costs.filter(({ strategy, isEverything }) => strategy !== current && isEverything !== true)
  const [cheapest] = [...others].sort((a, b) => a.tokens - b.tokens)
  return [current, ...(cheapest === undefined ? [] : [cheapest.strategy])]
}

function useDelayed<T>(value: T, ms: number): T {
  const [delayed, setDelayed] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return delayed
}
