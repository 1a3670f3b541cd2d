// A text or a JSON value in a box that scrolls, with a button to copy it.

import { Fragment } from 'preact'
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
        <pre>{withBreaks(text)}</pre>
      </section>
    </>
  )
}

/** Lets a line of compact JSON end before a name, so that names are not cut. A browser sees no break in `,"`. */
function withBreaks(text: string) {
  return text.split(/(?<=,)(?=")/).map((part, at) => (
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {showHidden(part)}
    </Fragment>
  ))
}

export function JsonBlock({ value, ...rest }: Omit<CodeBlockProps, 'text'> & { readonly value: unknown }) {
  return <CodeBlock text={JSON.stringify(value, null, 2) ?? 'undefined'} {...rest} />
}
