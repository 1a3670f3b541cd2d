// Copies a text to the clipboard and confirms it.

import { useEffect, useState } from 'preact/hooks'

interface CopyButtonProps {
  readonly text: string
  /** The name of the thing that is copied, for screen readers. */
  readonly what: string
}

const SHOWN_MS = 2_000

export function CopyButton({ text, what }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [state])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setState('copied')
    } catch {
      // `navigator.clipboard` is missing on an insecure origin. The loopback address is a secure origin.
      setState('failed')
    }
  }
  const word = { idle: 'Copy', copied: 'Copied', failed: 'Not copied' }[state]
  return (
    <button type="button" class="button button-small copy" onClick={() => void copy()}>
      <span aria-live="polite">{word}</span>
      <span class="visually-hidden"> {what}</span>
    </button>
  )
}
