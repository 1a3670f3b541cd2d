// Shows a sentence of the gateway. The parts between backticks are shown as code.

import { ServerText } from './server-text.tsx'

export function TextWithCode({ text }: { readonly text: string }) {
  return (
    <>
      {text.split('`').map((part, at) =>
        // Every second part is between backticks.
        at % 2 === 1 ? (
          <code key={at}>
            <ServerText text={part} />
          </code>
        ) : (
          <ServerText key={at} text={part} />
        ),
      )}
    </>
  )
}
