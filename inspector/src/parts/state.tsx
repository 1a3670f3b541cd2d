// The states of a view besides its content: loading, empty, failed.

import type { ComponentChildren } from 'preact'
import type { RequestFailure } from '../gateway/request.ts'
import { ServerText } from './server-text.tsx'
import { TextWithCode } from './text-with-code.tsx'

/** Grey lines in the place of the content while it is loading. */
export function Skeleton({ lines, label = 'Loading' }: { readonly lines: number; readonly label?: string }) {
  return (
    <div class="skeleton" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, at) => (
        <div key={at} class="skeleton-line" />
      ))}
    </div>
  )
}

interface EmptyProps {
  readonly title: string
  readonly children?: ComponentChildren
}

export function Empty({ title, children }: EmptyProps) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children !== undefined && <div class="quiet">{children}</div>}
    </div>
  )
}

interface FailureProps {
  readonly failure: RequestFailure
  readonly what: string
  onRetry?(): void
}

export function Failure({ failure, what, onRetry }: FailureProps) {
  return (
    <div class="notice notice-bad" role="alert">
      <p>
        <strong>{what}</strong> <ServerText text={failure.message} />
      </p>
      {failure.fix !== undefined && (
        <p>
          <TextWithCode text={failure.fix} />
        </p>
      )}
      {onRetry !== undefined && (
        <button type="button" class="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}
