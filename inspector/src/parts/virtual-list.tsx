// A long list of rows of equal height. Only the rows near the visible part are in the document.

import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

interface VirtualListProps<T> {
  readonly items: readonly T[]
  readonly rowHeight: number
  readonly label: string
  keyOf(item: T): string
  /** The content of a row. It has exactly one link or button, which takes the focus. */
  children(item: T): ComponentChildren
}

/** Rows above and below the visible part, so that a fast scroll shows no gap. */
const MARGIN = 8

/** The list scrolls with the page: one scrollbar, even on a phone. */
export function VirtualList<T>({ items, rowHeight, label, keyOf, children }: VirtualListProps<T>) {
  const list = useRef<HTMLUListElement>(null)
  const [range, setRange] = useState({ first: 0, last: 40 })
  /** The index of the row that gets the focus when it is drawn. */
  const indexToFocus = useRef<number | undefined>(undefined)

  useLayoutEffect(() => {
    const measure = () => {
      const top = list.current?.getBoundingClientRect().top ?? 0
      const first = Math.max(0, Math.floor(-top / rowHeight) - MARGIN)
      const last = Math.ceil((innerHeight - top) / rowHeight) + MARGIN
      setRange((before) => (before.first === first && before.last === last ? before : { first, last }))
    }
    measure()
    addEventListener('scroll', measure, { passive: true })
    addEventListener('resize', measure)
    return () => {
      removeEventListener('scroll', measure)
      removeEventListener('resize', measure)
    }
  }, [items, rowHeight])

  useEffect(() => {
    if (indexToFocus.current === undefined) return
    const target = rowAt(indexToFocus.current)
    if (target === undefined) return
    indexToFocus.current = undefined
    target.focus({ preventScroll: true })
  })

  const rowAt = (index: number) =>
    list.current?.querySelector<HTMLElement>(`[data-index="${index}"] :is(a, button)`) ?? undefined

  const move = (event: KeyboardEvent) => {
    const row = event.target instanceof Element ? event.target.closest('[data-index]') : null
    if (row === null) return
    const index = Number(row.getAttribute('data-index'))
    const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: items.length - 1 }[event.key]
    if (to === undefined || to < 0 || to >= items.length) return
    event.preventDefault()
    const top = (list.current?.getBoundingClientRect().top ?? 0) + to * rowHeight
    // The bars at the top and at the bottom of the page may cover this many pixels.
    const coveredPx = 96
    if (top < coveredPx) scrollBy(0, top - coveredPx)
    else if (top + rowHeight > innerHeight - coveredPx) scrollBy(0, top + rowHeight - innerHeight + coveredPx)
    const target = rowAt(to)
    if (target === undefined) indexToFocus.current = to
    else target.focus({ preventScroll: true })
  }

  const first = Math.min(range.first, Math.max(0, items.length - 1))
  const drawn = items.slice(first, Math.max(range.last, first + 1))
  return (
    <ul class="rows" aria-label={label} ref={list} style={{ height: `${items.length * rowHeight}px` }} onKeyDown={move}>
      {drawn.map((item, at) => (
        <li
          key={keyOf(item)}
          data-index={first + at}
          aria-setsize={items.length}
          aria-posinset={first + at + 1}
          style={{ height: `${rowHeight}px`, transform: `translateY(${(first + at) * rowHeight}px)` }}
        >
          {children(item)}
        </li>
      ))}
    </ul>
  )
}
