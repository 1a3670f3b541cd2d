// The progress of a running call: a bar, the time, and the latest messages.

import { useEffect, useState } from 'preact/hooks'
import { decimal, milliseconds } from '../../format.ts'
import type { ProgressNote } from '../../gateway/call-tool.ts'
import { ServerText } from '../../parts/server-text.tsx'

interface CallProgressProps {
  readonly progress: ProgressNote | undefined
  readonly logs: readonly string[]
  readonly startedAt: number
}

const TICK_MS = 250

export function CallProgress({ progress, logs, startedAt }: CallProgressProps) {
  const [now, setNow] = useState(() => performance.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  const { progress: done, total } = progress ?? { progress: 0 }
  return (
    <section class="card stack" aria-labelledby="running">
      <div class="card-head">
        <h2 id="running">Running</h2>
        <p class="quiet">{milliseconds(Math.max(0, now - startedAt))}</p>
      </div>
      <progress aria-label="Progress of the call" {...(total === undefined ? {} : { value: done, max: total })} />
      <p class="quiet" role="status">
        {progress === undefined && 'The tool has not reported progress.'}
        {progress !== undefined &&
          (total === undefined ? `Progress: ${decimal(done)}` : `Progress: ${decimal(done)} of ${decimal(total)}`)}
      </p>
      {logs.length > 0 && (
        <ol class="log" aria-label="Messages of the tool">
          {logs.slice(-6).map((line, at) => (
            <li key={logs.length - at}>
              <ServerText text={line} />
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}
