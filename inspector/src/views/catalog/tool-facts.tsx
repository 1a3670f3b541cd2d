// The facts beside a tool: cost, usage, pin and rule.

import type { InspectorTool } from '../../../../src/front/inspector/api.ts'
import { ago, count, dateTime, milliseconds, percent, tokens } from '../../format.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { ServerText } from '../../parts/server-text.tsx'
import { hrefTo } from '../../route.ts'

interface ToolFactsProps {
  readonly tool: InspectorTool
  readonly now: string
  /** Only a caller with all rights gets the rule of a tool. */
  readonly hasRules: boolean
}

export function ToolFacts({ tool, now, hasRules }: ToolFactsProps) {
  const { usage, rule } = tool
  return (
    <aside class="column" aria-label="Facts">
      <section class="card stack" aria-labelledby="facts">
        <h2 id="facts">Facts</h2>
        <dl class="facts">
          <dt>Server</dt>
          <dd>
            <a class="mono" href={hrefTo('tools', undefined, { server: tool.server })}>
              {tool.server}
            </a>
          </dd>
          <dt>Definition</dt>
          <dd>{tool.tokens === undefined ? 'counting' : tokens(tool.tokens)}</dd>
          <dt>Call name</dt>
          <dd class="mono">{tool.callName}</dd>
          <dt>Calls</dt>
          <dd>{usage.calls === 0 ? 'never called' : count(usage.calls, 'call')}</dd>
          {usage.calls > 0 && (
            <>
              <dt>Errors</dt>
              <dd>
                {count(usage.errors, 'error')}, {percent(usage.errors, usage.calls)}
              </dd>
            </>
          )}
          {usage.p50Ms !== undefined && (
            <>
              <dt>Latency</dt>
              <dd>
                median {milliseconds(usage.p50Ms)}
                {usage.p95Ms !== undefined && <>, p95 {milliseconds(usage.p95Ms)}</>}
              </dd>
            </>
          )}
          {usage.lastCall !== undefined && (
            <>
              <dt>Last call</dt>
              <dd title={dateTime(usage.lastCall)}>{ago(usage.lastCall, now)}</dd>
            </>
          )}
        </dl>
      </section>
      <section class="card stack" aria-labelledby="rule">
        <h2 id="rule">Rule</h2>
        {rule === undefined ? (
          <p class="quiet">
            The tool is {tool.availability}.{' '}
            {hasRules ? 'No rule decides this.' : 'Your token does not show the rules.'}
          </p>
        ) : (
          <p>
            Rule {rule.index}
            {rule.owner === 'project' ? ' of the project' : ''} decides: <code>{rule.text}</code>
          </p>
        )}
      </section>
      <Pin tool={tool} />
    </aside>
  )
}

const PINS: Readonly<Record<InspectorTool['pin']['state'], readonly [Tone, string, string]>> = {
  none: [
    'plain',
    'not pinned',
    'The tool has no pin. Unless pinning is off, a tool is pinned when its server first lists it.',
  ],
  pinned: [
    'ok',
    'no change found',
    'The tool is pinned, and no change was found. If pinning is off, the gateway does not look for changes.',
  ],
  changed: ['warn', 'changed', 'The tool has changed since it was pinned.'],
  new: ['warn', 'new', 'The server added the tool after its tools were pinned.'],
  unknown: [
    'bad',
    'not known',
    'The pins of the server cannot be read, so calls are refused. The gateway has printed why.',
  ],
}

function Pin({ tool: { id, pin, availability } }: { readonly tool: InspectorTool }) {
  const [tone, word, sentence] = PINS[pin.state]
  return (
    <section class="card stack" aria-labelledby="pin">
      <div class="card-head">
        <h2 id="pin">Pin</h2>
        <Badge tone={tone}>{word}</Badge>
      </div>
      <p class="quiet">
        {sentence}
        {availability === 'blocked' && pin.state !== 'unknown' && ' Calls are refused until you approve it.'}
        {pin.pinnedAt !== undefined && <> Pinned on {dateTime(pin.pinnedAt)}.</>}
      </p>
      {pin.diff !== undefined && pin.diff.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text must be scrollable with the keyboard
        <section class="code-text diff" tabIndex={0} aria-label="Changes">
          <pre>
            {pin.diff.map((line, at) => (
              <span key={at} class={diffClass(line)}>
                <ServerText text={line} />
                {'\n'}
              </span>
            ))}
          </pre>
        </section>
      )}
      {pin.command !== undefined && (
        <p class="command">
          <code>{pin.command}</code> <CopyButton text={pin.command} what={`the command for ${id}`} />
        </p>
      )}
    </section>
  )
}

function diffClass(line: string): string {
  if (line.startsWith('+')) return 'diff-add'
  return line.startsWith('-') ? 'diff-remove' : ''
}
