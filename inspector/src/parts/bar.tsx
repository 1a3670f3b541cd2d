// A horizontal bar: a number as a share of the largest number beside it.

interface BarProps {
  readonly value: number
  readonly max: number
  /** `paid` has the accent colour, `unpaid` is grey, and `bad` is red. */
  readonly tone: 'paid' | 'unpaid' | 'bad'
}

export function Bar({ value, max, tone }: BarProps) {
  const share = max === 0 ? 0 : Math.min(1, value / max)
  return (
    <div class="bar" aria-hidden="true">
      <div class={`bar-fill bar-${tone}${share === 0 ? ' is-zero' : ''}`} style={{ width: `${share * 100}%` }} />
    </div>
  )
}
