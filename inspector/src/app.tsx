// The frame of the page: navigation, the view of the current route, and the login.

import { useEffect, useRef, useState } from 'preact/hooks'
import type { InspectorOverview, InspectorTools } from '../../src/front/inspector/api.ts'
import { useSession } from './gateway/session.ts'
import { useResource } from './gateway/use-resource.ts'
import { Failure, Skeleton } from './parts/state.tsx'
import { type Route, useRoute } from './route.ts'
import { Navigation } from './shell/navigation.tsx'
import { TopBar } from './shell/top-bar.tsx'
import { CallsView } from './views/calls/calls-view.tsx'
import { CatalogView } from './views/catalog/catalog-view.tsx'
import { ToolView } from './views/catalog/tool-view.tsx'
import { ConfigView } from './views/config/config-view.tsx'
import { LoginView } from './views/login-view.tsx'
import { OverviewView } from './views/overview/overview-view.tsx'
import { SearchView } from './views/search/search-view.tsx'
import { TryView } from './views/try/try-view.tsx'
import type { GatewayData } from './views/view-props.ts'

const RELOAD_MS = 5_000
/** The time between two loads while the gateway counts the tokens of new tools in the background. */
const COUNTING_RELOAD_MS = 1_000

export function App() {
  const session = useSession()
  return session === 'open' ? <Inspector /> : <LoginView isWrong={session === 'wrong token'} />
}

function Inspector() {
  const route = useRoute()
  const [isCounting, setIsCounting] = useState(false)
  const overview = useResource<InspectorOverview>('api/overview', isCounting ? COUNTING_RELOAD_MS : RELOAD_MS)
  const needsTools = route.view === 'tools' || route.view === 'try'
  const wereToolsNeeded = useRef(false)
  wereToolsNeeded.current ||= needsTools
  const tools = useResource<InspectorTools>(
    wereToolsNeeded.current ? 'api/tools' : undefined,
    isCounting ? COUNTING_RELOAD_MS : undefined,
  )
  useEffect(
    () => setIsCounting((overview.data?.counting.length ?? 0) > 0 || (tools.data?.isCounting ?? false)),
    [overview.data, tools.data],
  )
  const { reload } = tools
  const main = useRef<HTMLElement>(null)

  useEffect(() => {
    // The list may have changed while another view was open.
    if (needsTools) reload()
  }, [needsTools, reload])
  useSearchKey()

  const data: GatewayData | undefined = overview.data && { overview: overview.data, tools }
  return (
    <div class="shell">
      {/* A link would change the hash, which holds the route. */}
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <TopBar overview={overview.data} />
      <Navigation current={route.view} caller={overview.data?.caller} />
      <main id="main" class="content" tabIndex={-1} ref={main}>
        {overview.failure !== undefined && (
          <Failure
            failure={overview.failure}
            what={overview.data === undefined ? 'The page cannot load.' : 'The page shows old data.'}
            onRetry={overview.reload}
          />
        )}
        {data !== undefined && <View route={route} data={data} />}
        {data === undefined && overview.failure === undefined && <Skeleton lines={8} label="Loading the gateway" />}
      </main>
    </div>
  )
}

function View({ route, data }: { readonly route: Route; readonly data: GatewayData }) {
  switch (route.view) {
    case 'overview':
      return <OverviewView data={data} />
    case 'tools':
      return route.id === undefined ? (
        <CatalogView data={data} query={route.query} />
      ) : (
        <ToolView key={route.id} id={route.id} data={data} />
      )
    case 'search':
      return <SearchView data={data} query={route.query} />
    case 'try':
      return <TryView key={route.id} id={route.id} data={data} />
    case 'calls':
      return <CallsView data={data} />
    case 'config':
      return <ConfigView data={data} />
  }
}

/** The key `/` moves the focus to the search field of the view, as on many pages. */
function useSearchKey(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
      const { target } = event
      if (target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null) return
      const field = document.querySelector<HTMLInputElement>('[data-search]')
      if (field === null) return
      event.preventDefault()
      field.focus()
      field.select()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}
