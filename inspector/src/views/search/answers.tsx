// The texts that the model sends and gets for a question, one column per strategy. A very long answer is cut.

import type { InspectorAnswer } from '../../../../src/front/inspector/api.ts'
import { tokens } from '../../format.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Empty } from '../../parts/state.tsx'

export function Answers({ answers }: { readonly answers: readonly InspectorAnswer[] }) {
  return (
    <section class="answers" aria-label="What the model sees">
      {answers.length === 0 && (
        <div class="card">
          <Empty title="Choose a strategy">Its answer to the question appears here, with its tokens.</Empty>
        </div>
      )}
      {answers.map((answer) => (
        <article key={answer.strategy} class="card stack answer">
          <div class="card-head">
            <h2>
              <code>{answer.strategy}</code>
            </h2>
            <p class="figure">{tokens(answer.tokens)}</p>
          </div>
          <CodeBlock title="The model sends" text={answer.request} label={`Request under ${answer.strategy}`} />
          <CodeBlock title="The model sees" text={answer.text} label={`Answer under ${answer.strategy}`} />
          {answer.isCut === true && <p class="quiet">The text is cut here. The tokens are those of the whole text.</p>}
        </article>
      ))}
    </section>
  )
}
