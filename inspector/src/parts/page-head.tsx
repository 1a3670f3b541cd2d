// The heading of a view. It takes the focus after a change of the view, so that screen readers announce it.

import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface PageHeadProps {
  readonly title: ComponentChildren
  /** The title of the browser tab. */
  readonly name: string
  readonly children?: ComponentChildren
  readonly actions?: ComponentChildren
}

let isFirst = true

export function PageHead({ title, name, children, actions }: PageHeadProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${name} · Toolcrib`
    // The browser itself announces a page that it has just loaded.
    if (!isFirst) heading.current?.focus({ preventScroll: true })
    isFirst = false
    scrollTo(0, 0)
  }, [name])
  return (
    <header class="page-head">
      <div>
        <h1 tabIndex={-1} ref={heading}>
          {title}
        </h1>
        {children !== undefined && <div class="page-note">{children}</div>}
      </div>
      {actions !== undefined && <div class="page-actions">{actions}</div>}
    </header>
  )
}
