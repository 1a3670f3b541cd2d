// The navigation: a column beside the content, a row above it, or a bar at the bottom of a phone.

import type { InspectorOverview } from '../../../src/front/inspector/api.ts'
import { Icon } from '../parts/icon.tsx'
import { hrefTo, type ViewName } from '../route.ts'

const ENTRIES: readonly (readonly [view: ViewName, name: string, shortName: string])[] = [
  ['overview', 'Overview', 'Overview'],
  ['tools', 'Catalog', 'Catalog'],
  ['search', 'Search', 'Search'],
  ['try', 'Try a tool', 'Try'],
  ['calls', 'Live calls', 'Calls'],
  ['config', 'Config', 'Config'],
]

interface NavigationProps {
  readonly current: ViewName
  readonly caller: InspectorOverview['caller'] | undefined
}

export function Navigation({ current, caller }: NavigationProps) {
  const shown = ENTRIES.filter(([view]) => view !== 'config' || caller?.isUnlimited !== false)
  return (
    <nav class="navigation" aria-label="Views">
      <ul>
        {shown.map(([view, name, shortName]) => (
          <li key={view}>
            <a href={hrefTo(view)} aria-current={view === current ? 'page' : undefined} aria-label={name}>
              <Icon name={view} />
              <span class="nav-name">{name}</span>
              <span class="nav-short">{shortName}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
