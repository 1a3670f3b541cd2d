// A chart, with its main figures as text. The chart library is loaded with the first chart.

import { useEffect, useRef } from 'preact/hooks'
import { useColours } from '../../theme.ts'

type ChartTone = 'accent' | 'ok' | 'warn' | 'bad'

interface ChartSeries {
  readonly name: string
  readonly tone: ChartTone
  readonly values: readonly (number | null)[]
}

interface ChartProps {
  readonly title: string
  readonly summary: string | undefined
  /** In seconds. */
  readonly times: readonly number[]
  readonly series: readonly ChartSeries[]
  readonly kind: 'bars' | 'lines'
  format(value: number): string
}

export function Chart(props: ChartProps) {
  const { title, summary, series } = props
  const box = useRef<HTMLDivElement>(null)
  const colours = useColours()
  useDrawing(box, props, colours)
  return (
    <figure class="card chart">
      <figcaption>
        <h3>{title}</h3>
        <p class="chart-summary">{summary ?? '\u00a0'}</p>
      </figcaption>
      <div class="chart-box" ref={box} aria-hidden="true" />
      <ul class="legend" aria-hidden="true">
        {series.map(({ name, tone }) => (
          <li key={name}>
            <span class={`swatch tone-${tone}`} />
            {name}
          </li>
        ))}
      </ul>
    </figure>
  )
}

/** Draws the chart into its box, and draws it again when its data, its kind or the colours change. */
function useDrawing(box: { readonly current: HTMLDivElement | null }, props: ChartProps, colours: number): void {
  const { times, series, kind, format } = props
  // The arrays are new in each render, so their content is compared.
  const key = JSON.stringify([times, series.map(({ values }) => values)])
  useEffect(() => {
    const parent = box.current
    if (parent === null || times.length === 0) return
    let remove: (() => void) | undefined
    let isRemoved = false
    void import('./draw-chart.ts').then(({ drawChart }) => {
      if (isRemoved) return
      remove = drawChart(parent, {
        times,
        kind,
        format,
        series: series.map(({ name, tone, values }) => ({ name, values, colour: colourOf(parent, `--${tone}`) })),
        ink: colourOf(parent, '--ink-2'),
        line: colourOf(parent, '--line'),
      })
    })
    return () => {
      isRemoved = true
      remove?.()
    }
  }, [key, kind, colours])
}

/** The colour of a design token in the current theme. The browser computes it only for a property of an element. */
function colourOf(parent: Element, token: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${token})`
  parent.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
