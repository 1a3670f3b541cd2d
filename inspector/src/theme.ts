// The theme: light, dark, or the choice of the system.

import { useEffect, useState } from 'preact/hooks'

const KEY = 'toolcrib.theme'
const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

/** Call it before the first render, so that the page does not flash in the other theme, and after each change. */
export function applyTheme(theme: Theme = readTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

export function useTheme(): readonly [Theme, () => void] {
  const [theme, setTheme] = useState(readTheme)
  const next = () => {
    const chosen = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system'
    localStorage.setItem(KEY, chosen)
    applyTheme(chosen)
    setTheme(chosen)
  }
  return [theme, next]
}

/** Returns a number that changes with the colours of the page. After a change, a canvas must be drawn again. */
export function useColours(): number {
  const [version, setVersion] = useState(0)
  useEffect(() => {
    const changed = () => setVersion((n) => n + 1)
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const watcher = new MutationObserver(changed)
    watcher.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    dark.addEventListener('change', changed)
    return () => {
      watcher.disconnect()
      dark.removeEventListener('change', changed)
    }
  }, [])
  return version
}

function readTheme(): Theme {
  const stored = localStorage.getItem(KEY)
  return THEMES.find((theme) => theme === stored) ?? 'system'
}
