// A horizontal bar that shows `value` as a share of `max`.

interface BarProps {
  readonly value: number
  readonly max: number
  /** `accent` has the accent colour, `plain` is grey, and `bad` is red. */
  readonly tone: 'accent' | 'plain' | 'bad'
}

export function Bar({ value, max, tone }: BarProps) {
  const share = max === 0 ? 0 : Math.min(1, value / max)
  return (
    <div class="bar" aria-hidden="true">
      <div class={`bar-fill bar-${tone}${share === 0 ? ' is-zero' : ''}`} style={{ width: `${share * 100}%` }} />
    </div>
  )
}
