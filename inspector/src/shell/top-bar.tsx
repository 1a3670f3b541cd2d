// The bar at the top: the product, the caller, the button to log out, and the theme.

import type { InspectorOverview } from '../../../src/front/inspector/api.ts'
import { logOut } from '../gateway/session.ts'
import { readToken } from '../gateway/token.ts'
import { Icon } from '../parts/icon.tsx'
import { hrefTo } from '../route.ts'
import { useTheme } from '../theme.ts'

export function TopBar({ overview }: { readonly overview: InspectorOverview | undefined }) {
  const [theme, nextTheme] = useTheme()
  return (
    <header class="top-bar">
      <a class="brand" href={hrefTo('overview')}>
        <img src="./favicon.svg" alt="" width="24" height="24" />
        Toolcrib
      </a>
      <div class="top-tools">
        {overview !== undefined && (
          <span class="caller" title="Your name at this gateway">
            <span class="visually-hidden">You are </span>
            {overview.caller.principal}
            {!overview.caller.canCall && <span class="quiet"> · read only</span>}
          </span>
        )}
        {readToken() !== undefined && (
          <button type="button" class="button button-bare" onClick={logOut}>
            Log out
          </button>
        )}
        <button
          type="button"
          class="icon-button"
          onClick={nextTheme}
          aria-label={`Theme: ${theme}`}
          title={`Theme: ${theme}`}
        >
          <Icon name={theme} />
        </button>
      </div>
    </header>
  )
}
