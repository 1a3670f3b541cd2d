// The call as text to copy: a command line, a JSON-RPC message, or code with the SDK.

import { useState } from 'preact/hooks'
import type { InspectorTool } from '../../../../src/front/inspector/api.ts'
import type { JsonObject } from '../../is-record.ts'
import { CodeBlock } from '../../parts/code-block.tsx'
import { Segments } from '../../parts/segments.tsx'
import { asCode, asCommand, asMessage } from './call-texts.ts'

interface CopyAsProps {
  readonly tool: InspectorTool
  readonly args: JsonObject
  /** True for a tool of an example server, which no command in a terminal knows. */
  readonly isExample: boolean
}

const FORMS = [
  ['cli', 'Command line'],
  ['rpc', 'JSON-RPC'],
  ['sdk', 'SDK code'],
] as const

export function CopyAs({ tool, args, isExample }: CopyAsProps) {
  const [form, setForm] = useState<(typeof FORMS)[number][0]>('cli')
  const address = new URL('mcp', document.baseURI).href
  const text = {
    cli: () => asCommand(tool.id, args),
    rpc: () => asMessage(tool.callName, args),
    sdk: () => asCode(tool.callName, args, address),
  }[form]()
  return (
    <section class="card stack workbench-copy" aria-labelledby="copy-as">
      <div class="card-head">
        <h2 id="copy-as">Copy as</h2>
        <Segments label="Format of the copy" value={form} options={FORMS} onChange={(next) => setForm(next)} />
      </div>
      {form === 'cli' && isExample ? (
        <p class="quiet">
          The example servers run only inside this demo, so there is no command line for their tools. Add a server of
          your own with <code>toolcrib add NAME -- COMMAND</code>.
        </p>
      ) : (
        <CodeBlock text={text} label={FORMS.find(([name]) => name === form)?.[1] ?? ''} />
      )}
    </section>
  )
}
