// A small label. Its text states the meaning, and its colour only repeats it.

import type { ComponentChildren } from 'preact'

export type Tone = 'plain' | 'accent' | 'ok' | 'warn' | 'bad'

interface BadgeProps {
  readonly tone?: Tone
  /** Keeps a plain label visible on a phone, where the list of tools hides other plain labels. */
  readonly isState?: boolean
  readonly children: ComponentChildren
}

export function Badge({ tone = 'plain', isState = false, children }: BadgeProps) {
  return <span class={`badge badge-${tone}${isState ? ' is-state' : ''}`}>{children}</span>
}

const STATE_TONES: Readonly<Record<string, Tone>> = {
  connected: 'ok',
  starting: 'accent',
  'needs login': 'warn',
  failed: 'bad',
}

/** The state of a server. */
export function StateBadge({ state }: { readonly state: string }) {
  return (
    <Badge tone={STATE_TONES[state] ?? 'plain'}>
      <span class="dot" aria-hidden="true" />
      {state}
    </Badge>
  )
}
