// A text or a JSON value in a box that scrolls, with a button to copy it.

import { CopyButton } from './copy-button.tsx'
import { showHidden } from './server-text.tsx'

interface CodeBlockProps {
  readonly text: string
  /** The name of the text, for screen readers. */
  readonly label: string
  /** A heading. If it is set, the button is beside it, and the text has the whole width. */
  readonly title?: string
}

export function CodeBlock({ text, label, title }: CodeBlockProps) {
  const copy = <CopyButton text={text} what={label} />
  return (
    <>
      {title !== undefined && (
        <div class="code-head">
          <h3>{title}</h3>
          {copy}
        </div>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text must be scrollable with the keyboard */}
      <section class="code-text" tabIndex={0} aria-label={label}>
        {title === undefined && copy}
        <pre>{showHidden(text)}</pre>
      </section>
    </>
  )
}

export function JsonBlock({ value, ...rest }: Omit<CodeBlockProps, 'text'> & { readonly value: unknown }) {
  return <CodeBlock text={JSON.stringify(value, null, 2) ?? 'undefined'} {...rest} />
}
