// A question of the server during a call (elicitation): a form, or an address to open.

import { useEffect, useRef, useState } from 'preact/hooks'
import { JsonControl } from '../../form/plain-controls.tsx'
import { canDraw, SchemaForm } from '../../form/schema-form.tsx'
import { isRecord } from '../../is-record.ts'
import { AddressText, ServerText } from '../../parts/server-text.tsx'
import { initialFields } from '../../schema/read-schema.ts'
import type { AskedQuestion } from './use-call.ts'

export function QuestionForm({ asked }: { readonly asked: AskedQuestion }) {
  const { params, answer } = asked
  const isAddress = params.mode === 'url'
  const schema = params.requestedSchema
  const [content, setContent] = useState(() => initialFields(schema))
  const [isJsonInvalid, setIsJsonInvalid] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <form
      class="card stack question"
      aria-labelledby="question"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!isJsonInvalid) answer(isAddress ? { action: 'accept' } : { action: 'accept', content })
      }}
    >
      <h2 id="question" tabIndex={-1} ref={heading}>
        The server asks
      </h2>
      <p class="prose">
        <ServerText text={typeof params.message === 'string' ? params.message : 'The server sent no text.'} />
      </p>
      {isAddress && typeof params.url === 'string' && (
        <p>
          Open this address only if you trust the server: <AddressText address={params.url} />
        </p>
      )}
      {!isAddress &&
        (canDraw(schema) ? (
          <SchemaForm
            schema={schema}
            value={content}
            problems={[]}
            prefix="answer"
            empty="The server wants a confirmation and no values."
            onChange={setContent}
            onInvalid={setIsJsonInvalid}
          />
        ) : (
          <div class="field">
            <label for="answer-json">Answer as JSON</label>
            <JsonControl
              ids={{ id: 'answer-json' }}
              value={content}
              mustBeObject
              onProblem={(problem) => setIsJsonInvalid(problem !== undefined)}
              onChange={(next) => isRecord(next) && setContent(next)}
            />
          </div>
        ))}
      <div class="run-row">
        <button type="submit" class="button button-main" disabled={isJsonInvalid}>
          {isAddress ? 'I have opened it' : 'Send the answer'}
        </button>
        <button type="button" class="button" onClick={() => answer({ action: 'decline' })}>
          Decline
        </button>
      </div>
    </form>
  )
}
