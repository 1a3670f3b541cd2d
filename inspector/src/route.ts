// The routes of the page. They are in the hash of the address, so they work at every path of the server.

import { useEffect, useState } from 'preact/hooks'
import { decodePercent } from './decode-percent.ts'

export const VIEWS = ['overview', 'tools', 'search', 'try', 'calls', 'config'] as const
export type ViewName = (typeof VIEWS)[number]

export interface Route {
  readonly view: ViewName
  /** The part after the view, for example the id of a tool. */
  readonly id: string | undefined
  readonly query: URLSearchParams
}

/** The address of a view, for `href`. */
export function hrefTo(view: ViewName, id?: string, query: Readonly<Record<string, string>> = {}): string {
  const path = view === 'overview' ? '' : view + (id === undefined ? '' : `/${encodeURIComponent(id)}`)
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString()
  return `#/${path}${search === '' ? '' : `?${search}`}`
}

function readRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const [first = '', ...rest] = path.split('/')
  const view = VIEWS.find((name) => name === first) ?? 'overview'
  return { view, id: rest.length === 0 ? undefined : decodePercent(rest.join('/')), query: new URLSearchParams(search) }
}

/** Changes the query of the address without a new entry in the history. */
export function replaceQuery(view: ViewName, id: string | undefined, query: Readonly<Record<string, string>>): void {
  history.replaceState(null, '', `${location.pathname}${location.search}${hrefTo(view, id, query)}`)
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => readRoute(location.hash))
  useEffect(() => {
    const update = () => setRoute(readRoute(location.hash))
    addEventListener('hashchange', update)
    return () => removeEventListener('hashchange', update)
  }, [])
  return route
}
