// JSON as indented text, with a button to copy it.

import { CopyButton } from './copy-button.tsx'
import { visible } from './server-text.tsx'

interface CodeBlockProps {
  readonly text: string
  /** The name of the text, for screen readers. */
  readonly label: string
}

export function CodeBlock({ text, label }: CodeBlockProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text must be scrollable with the keyboard
    <section class="code-text" tabIndex={0} aria-label={label}>
      <CopyButton text={text} what={label} />
      <pre>{visible(text)}</pre>
    </section>
  )
}

export function JsonBlock({ value, label }: { readonly value: unknown; readonly label: string }) {
  return <CodeBlock text={JSON.stringify(value, null, 2) ?? 'undefined'} label={label} />
}
