// The form of a tool beside its result.

import { useState } from 'preact/hooks'
import type { InspectorTool } from '../../../../src/front/inspector/api.ts'
import { JsonControl } from '../../form/plain-controls.tsx'
import { canDraw, OtherProblems, problemsWithoutField, SchemaForm } from '../../form/schema-form.tsx'
import { isRecord } from '../../is-record.ts'
import { Segments } from '../../parts/segments.tsx'
import { initialFields } from '../../schema/read-schema.ts'
import { problemsOf } from './call-problems.ts'
import { CallProgress } from './call-progress.tsx'
import { CallResult } from './call-result.tsx'
import { CopyAs } from './copy-as.tsx'
import { QuestionForm } from './question-form.tsx'
import { useCall } from './use-call.ts'

interface WorkbenchProps {
  readonly tool: InspectorTool
  readonly canCall: boolean
  readonly isExample: boolean
}

export function Workbench({ tool, canCall, isExample }: WorkbenchProps) {
  const { inputSchema } = tool
  const isDrawable = canDraw(inputSchema)
  const [mode, setMode] = useState<'form' | 'json'>(isDrawable ? 'form' : 'json')
  const [args, setArgs] = useState(() => initialFields(inputSchema))
  const [isJsonInvalid, setIsJsonInvalid] = useState(false)
  const call = useCall(tool)
  const { state } = call
  const { fields, others } = problemsOf(state)
  const shownBelow = mode === 'form' ? problemsWithoutField(inputSchema, fields) : fields
  const isRunning = state.kind === 'running'
  return (
    <div class="workbench">
      <form
        class="card stack workbench-form"
        aria-labelledby="arguments"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (!isRunning && !isJsonInvalid && canCall) call.run(args)
        }}
      >
        <div class="card-head">
          <h2 id="arguments">Arguments</h2>
          {isDrawable && (
            <Segments
              label="Editor"
              value={mode}
              options={[
                ['form', 'Form'],
                ['json', 'JSON'],
              ]}
              onChange={setMode}
            />
          )}
        </div>
        {mode === 'form' ? (
          <SchemaForm
            schema={inputSchema}
            value={args}
            problems={fields}
            prefix="arg"
            empty="This tool takes no parameters."
            onChange={setArgs}
            onInvalid={setIsJsonInvalid}
          />
        ) : (
          <div class="field">
            <label for="arguments-json">Arguments as JSON</label>
            <JsonControl
              ids={{ id: 'arguments-json' }}
              value={args}
              rows={10}
              mustBeObject
              onChange={(next) => isRecord(next) && setArgs(next)}
              onProblem={(problem) => setIsJsonInvalid(problem !== undefined)}
            />
          </div>
        )}
        <OtherProblems problems={[...others, ...shownBelow.map(({ message }) => message)]} />
        {canCall && tool.prepare !== undefined && (
          <p class="notice">
            The tool is not enabled for you yet. The button <b>Run</b> calls <code>{tool.prepare.name}</code> first,
            which also adds the tool to the list of other clients with your token.
          </p>
        )}
        {canCall ? (
          <div class="run-row">
            <button type="submit" class="button button-main" disabled={isRunning || isJsonInvalid}>
              {isRunning ? 'Running' : 'Run'}
            </button>
            <button type="button" class="button" onClick={call.cancel} disabled={!isRunning}>
              Cancel
            </button>
          </div>
        ) : (
          <p class="notice">
            This page cannot run tools: the config sets <code>http.inspector</code> to <code>read-only</code>, or your
            token reaches no server.
          </p>
        )}
      </form>
      <section class="column workbench-result" aria-label="Outcome">
        {/* A call with an open question waits for the user. */}
        {state.kind === 'running' && call.question === undefined && (
          <CallProgress progress={state.progress} logs={state.logs} startedAt={state.startedAt} />
        )}
        {call.question !== undefined && <QuestionForm key={call.question.key} asked={call.question} />}
        <CallResult state={state} />
      </section>
      <CopyAs tool={tool} args={args} isExample={isExample} />
    </div>
  )
}
