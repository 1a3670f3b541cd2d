// Runs one call at a time and holds its state: its progress, its open question, and its outcome.

import { useEffect, useRef, useState } from 'preact/hooks'
import type { InspectorTool } from '../../../../src/front/inspector/api.ts'
import {
  callTool,
  type ProgressNote,
  type Question,
  type QuestionAnswer,
  type ToolCallOutcome,
  type ToolCallRequest,
} from '../../gateway/call-tool.ts'
import type { RequestFailure } from '../../gateway/request.ts'
import { reportFailure } from '../../gateway/session.ts'
import type { JsonObject } from '../../is-record.ts'

export type CallState =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'running'
      readonly startedAt: number
      readonly progress: ProgressNote | undefined
      readonly logs: readonly string[]
    }
  | {
      readonly kind: 'done'
      readonly tookMs: number
      readonly outcome: ToolCallOutcome
      readonly logs: readonly string[]
    }
  | { readonly kind: 'cancelled'; readonly tookMs: number }
  | { readonly kind: 'failed'; readonly failure: RequestFailure }

export interface AskedQuestion extends Question {
  readonly key: number
  answer(answer: QuestionAnswer): void
}

interface RunningCall {
  readonly state: CallState
  readonly question: AskedQuestion | undefined
  run(args: JsonObject): void
  cancel(): void
}

const MAX_LOGS = 100

export function useCall({ callName, inputSchema, prepare }: InspectorTool): RunningCall {
  const [state, setState] = useState<CallState>({ kind: 'idle' })
  const [question, setQuestion] = useState<AskedQuestion>()
  const stop = useRef<AbortController | undefined>(undefined)
  // Leaving the view or the page cancels the call: the user could not see its answer.
  useEffect(() => {
    const leave = () => stop.current?.abort()
    addEventListener('pagehide', leave)
    return () => {
      removeEventListener('pagehide', leave)
      leave()
    }
  }, [])

  const run = (args: JsonObject) => {
    stop.current?.abort()
    const controller = new AbortController()
    const { signal } = controller
    stop.current = controller
    const startedAt = performance.now()
    const tookMs = () => performance.now() - startedAt
    const logs: string[] = []
    let progress: ProgressNote | undefined
    let asked = 0
    const show = () => signal.aborted || setState({ kind: 'running', startedAt, progress, logs: [...logs] })
    const finish = (next: CallState) => {
      if (stop.current !== controller) return
      setQuestion(undefined)
      setState(next)
    }
    show()
    const handlers = {
      onProgress(note: ProgressNote) {
        progress = note
        if (note.message !== undefined) addLog(logs, note.message)
        show()
      },
      onLog(text: string) {
        addLog(logs, text)
        show()
      },
      answer: (given: Question) =>
        new Promise<QuestionAnswer>((resolve, reject) => {
          signal.throwIfAborted()
          signal.addEventListener('abort', () => reject(signal.reason))
          setQuestion({
            ...given,
            key: ++asked,
            answer(answer) {
              setQuestion(undefined)
              resolve(answer)
            },
          })
        }),
    } satisfies Partial<ToolCallRequest>
    const call = async () => {
      if (prepare !== undefined) {
        const first = await callTool({
          name: prepare.name,
          args: prepare.arguments,
          inputSchema: {},
          signal,
          ...handlers,
        })
        if (first.kind === 'error' || first.result.isError === true) return first
      }
      return callTool({ name: callName, args, inputSchema, signal, ...handlers })
    }
    call().then(
      (outcome) => finish({ kind: 'done', tookMs: tookMs(), outcome, logs }),
      (error: unknown) => {
        if (signal.aborted) return finish({ kind: 'cancelled', tookMs: tookMs() })
        finish({ kind: 'failed', failure: reportFailure(error) })
      },
    )
  }
  // The gateway cancels a call when its client closes the response.
  return { state, question, run, cancel: () => stop.current?.abort() }
}

function addLog(logs: string[], text: string): void {
  logs.push(text)
  if (logs.length > MAX_LOGS) logs.shift()
}
