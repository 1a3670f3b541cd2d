// The outcome of a call: its content blocks, its error, or the reason why it ended without a result.

import { useState } from 'preact/hooks'
import { bytes, count, milliseconds } from '../../format.ts'
import { isRecord, type JsonObject } from '../../is-record.ts'
import { Badge } from '../../parts/badge.tsx'
import { JsonBlock } from '../../parts/code-block.tsx'
import { Segments } from '../../parts/segments.tsx'
import { ServerText } from '../../parts/server-text.tsx'
import { Empty, Failure } from '../../parts/state.tsx'
import { TextWithCode } from '../../parts/text-with-code.tsx'
import { issuesOf } from './call-problems.ts'
import { ContentBlock } from './content-block.tsx'
import type { CallState } from './use-call.ts'

export function CallResult({ state }: { readonly state: CallState }) {
  return (
    <div aria-live="polite" class="result">
      {state.kind === 'idle' && (
        <div class="card">
          <Empty title="No result yet">Run the tool to see its answer here.</Empty>
        </div>
      )}
      {state.kind === 'cancelled' && (
        <div class="card stack">
          <div class="card-head">
            <h2>Cancelled</h2>
            <p class="quiet">after {milliseconds(state.tookMs)}</p>
          </div>
          <p>The gateway told the server to stop. Its answer is not shown.</p>
        </div>
      )}
      {state.kind === 'failed' && <Failure failure={state.failure} what="The call has no result." />}
      {state.kind === 'done' && <Done state={state} />}
    </div>
  )
}

function Done({ state }: { readonly state: Extract<CallState, { kind: 'done' }> }) {
  const { outcome, tookMs, logs } = state
  const [mode, setMode] = useState<'shown' | 'raw'>('shown')
  const isError = outcome.kind === 'error' || outcome.result.isError === true
  const raw =
    outcome.kind === 'error' ? { code: outcome.code, message: outcome.message, data: outcome.data } : outcome.result
  const issues = issuesOf(state).length
  return (
    <section class="card stack" aria-labelledby="result">
      <div class="card-head">
        <h2 id="result">
          Result <Badge tone={isError ? 'bad' : 'ok'}>{isError ? 'error' : 'ok'}</Badge>
        </h2>
        <Segments
          label="Format of the result"
          value={mode}
          options={[
            ['shown', 'Rendered'],
            ['raw', 'Raw'],
          ]}
          onChange={(next) => setMode(next)}
        />
      </div>
      <p class="quiet">
        {milliseconds(tookMs)} · {bytes(new Blob([JSON.stringify(raw)]).size)}
        {issues > 0 && ` · ${count(issues, 'problem')} in the arguments`}
      </p>
      {mode === 'raw' && <JsonBlock value={raw} label="Raw result" />}
      {mode === 'shown' && outcome.kind === 'error' && (
        <p class="notice notice-bad">
          <ServerText text={outcome.message} /> <span class="quiet">(code {outcome.code})</span>
        </p>
      )}
      {mode === 'shown' && outcome.kind === 'result' && <Blocks result={outcome.result} />}
      {logs.length > 0 && (
        <details>
          <summary>{count(logs.length, 'message')} during the call</summary>
          <ol class="log">
            {logs.map((line, at) => (
              <li key={at}>
                <ServerText text={line} />
              </li>
            ))}
          </ol>
        </details>
      )}
    </section>
  )
}

function Blocks({ result }: { readonly result: JsonObject }) {
  const error = gatewayError(result)
  if (error !== undefined) return <ErrorNotice error={error} />
  const content = Array.isArray(result.content) ? result.content.filter(isRecord) : []
  const hasText = content.some(({ type, text }) => type === 'text' && text !== '')
  const needsData = result.structuredContent !== undefined && !hasText
  return (
    <div class="blocks">
      {content.map((block, at) => (
        <ContentBlock key={at} block={block} name={`Block ${at + 1}`} />
      ))}
      {needsData && <JsonBlock value={result.structuredContent} label="Structured content" />}
      {content.length === 0 && !needsData && <p class="quiet">The tool answered with no content.</p>}
    </div>
  )
}

/** An error of the gateway, or of a tool in the same form. Any other error of a tool keeps its own blocks. */
function gatewayError({ isError, structuredContent }: JsonObject): JsonObject | undefined {
  const error = isRecord(structuredContent) ? structuredContent.error : undefined
  if (isError !== true || !isRecord(error) || typeof error.message !== 'string') return undefined
  return error.code === 'TOOL_EXECUTION_ERROR' ? undefined : error
}

function ErrorNotice({ error: { code, message, suggestion } }: { readonly error: JsonObject }) {
  return (
    <div class="notice notice-bad">
      {typeof code === 'string' && <code>{code}</code>}
      <p>
        <ServerText text={String(message)} />
      </p>
      {typeof suggestion === 'string' && (
        <p>
          <span class="quiet">The model is told: </span>
          <TextWithCode text={suggestion} />
        </p>
      )}
    </div>
  )
}
