// Shows what a rule would change, without writing the config.

import { useState } from 'preact/hooks'
import type { InspectorPreview, InspectorPreviewRequest, InspectorRule } from '../../../../src/front/inspector/api.ts'
import { count, number, tokens } from '../../format.ts'
import { type RequestFailure, requestJson } from '../../gateway/request.ts'
import { reportFailure } from '../../gateway/session.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { ServerText } from '../../parts/server-text.tsx'
import { Failure } from '../../parts/state.tsx'
import { type RuleDraft, RuleFields } from './rule-fields.tsx'
import { splitPatterns } from './split-patterns.ts'

export function RulePreview({ rules }: { readonly rules: readonly InspectorRule[] }) {
  const [draft, setDraft] = useState<RuleDraft>({ pattern: '', server: '', effect: 'disable', tags: '', at: '1' })
  const [preview, setPreview] = useState<InspectorPreview>()
  const [failure, setFailure] = useState<RequestFailure>()
  const [isBusy, setIsBusy] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    setIsBusy(true)
    const request: InspectorPreviewRequest = { rule: ruleOf(draft), at: Number(draft.at) }
    const body = JSON.stringify(request)
    const headers = { 'content-type': 'application/json' }
    await requestJson<InspectorPreview>('api/config/preview', { method: 'POST', headers, body }).then(
      (answer) => {
        setPreview(answer)
        setFailure(undefined)
      },
      (error: unknown) => {
        setFailure(reportFailure(error))
        setPreview(undefined)
      },
    )
    setIsBusy(false)
  }
  return (
    <section class="card stack" aria-labelledby="preview">
      <div class="card-head">
        <h2 id="preview">Test a rule before you write it</h2>
      </div>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <RuleFields draft={draft} count={rules.filter(({ owner }) => owner === undefined).length} onChange={setDraft} />
        <div class="run-row">
          <button
            type="submit"
            class="button button-main"
            disabled={isBusy || (draft.pattern.trim() === '' && draft.server.trim() === '')}
          >
            Show what it changes
          </button>
        </div>
      </form>
      <div aria-live="polite" class="stack">
        {failure !== undefined && <Failure failure={failure} what="The rule cannot be tested." />}
        {preview !== undefined && <Changes preview={preview} />}
      </div>
    </section>
  )
}

function Changes({ preview }: { readonly preview: InspectorPreview }) {
  const { enabled, disabled, tagged, tokensBefore, tokensAfter, problems, text } = preview
  const changesNothing = enabled.length + disabled.length + tagged.length === 0
  return (
    <>
      {problems.length > 0 && (
        <ul class="notice notice-warn bullets">
          {problems.map((problem) => (
            <li key={problem}>
              <ServerText text={problem} />
            </li>
          ))}
        </ul>
      )}
      <p>
        <strong>{changesNothing ? 'This rule changes nothing.' : changeText(tokensAfter - tokensBefore)}</strong>
        {tokensAfter !== tokensBefore &&
          ` The definitions of the enabled tools have ${tokens(tokensAfter)} instead of ${number(tokensBefore)}.`}
      </p>
      <ToolNames title="would be enabled" ids={enabled} />
      <ToolNames title="would be disabled" ids={disabled} />
      <ToolNames title="would get tags or a category" ids={tagged} />
      <CodeBlock title="Text for the config file, in discovery.toolRules" text={text} label="Rule" />
    </>
  )
}

function changeText(more: number): string {
  if (more === 0) return 'The same number of tokens.'
  return `${count(Math.abs(more), more > 0 ? 'more token' : 'fewer token')}.`
}

const MAX_NAMES = 200

function ToolNames({ title, ids }: { readonly title: string; readonly ids: readonly string[] }) {
  if (ids.length === 0) return null
  return (
    <details open={ids.length <= 12}>
      <summary>
        {count(ids.length, 'tool')} {title}
      </summary>
      <ul class="names mono">
        {ids.slice(0, MAX_NAMES).map((id) => (
          <li key={id}>
            <ServerText text={id} />
          </li>
        ))}
        {ids.length > MAX_NAMES && <li>and {number(ids.length - MAX_NAMES)} more</li>}
      </ul>
    </details>
  )
}

function ruleOf({ pattern, server, effect, tags }: RuleDraft): Readonly<Record<string, unknown>> {
  const words = (text: string) =>
    text
      .split(',')
      .map((word) => word.trim())
      .filter(Boolean)
  return {
    ...(pattern.trim() === '' ? {} : { pattern: splitPatterns(pattern) }),
    ...(server.trim() === '' ? {} : { server: server.trim() }),
    ...(effect === 'tag' ? { tags: words(tags) } : { enabled: effect === 'enable' }),
  }
}
