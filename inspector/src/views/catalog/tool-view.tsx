// The page of one tool: its description, parameters, schemas, cost, usage, rule and pin.

import type { InspectorTool } from '../../../../src/front/inspector/api.ts'
import { useResource } from '../../gateway/use-resource.ts'
import { Badge } from '../../parts/badge.tsx'
import { CodeBlock, JsonBlock } from '../../parts/code-block.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { ServerText } from '../../parts/server-text.tsx'
import { Failure, Skeleton } from '../../parts/state.tsx'
import { hrefTo } from '../../route.ts'
import type { GatewayData } from '../view-props.ts'
import { ParameterTable } from './parameter-table.tsx'
import { ToolFacts } from './tool-facts.tsx'

interface ToolViewProps {
  readonly id: string
  readonly data: GatewayData
}

export function ToolView({ id, data: { overview } }: ToolViewProps) {
  const { data: tool, failure, reload } = useResource<InspectorTool>(`api/tool?id=${encodeURIComponent(id)}`)
  const title = <span class="mono">{id}</span>
  const actions = (
    <a class="button button-main" href={hrefTo('try', id)}>
      Try this tool
    </a>
  )
  return (
    <>
      <a class="back" href={hrefTo('tools')}>
        <span aria-hidden="true">←</span> Catalog
      </a>
      <PageHead title={title} name={id} actions={tool?.availability === 'enabled' ? actions : undefined}>
        {tool?.title !== undefined && tool.title !== tool.name ? <ServerText text={tool.title} /> : undefined}
      </PageHead>
      {failure !== undefined && <Failure failure={failure} what="This tool cannot be shown." onRetry={reload} />}
      {tool === undefined && failure === undefined && <Skeleton lines={10} label="Loading the tool" />}
      {tool !== undefined && (
        <div class="columns">
          <div class="column">
            <Description tool={tool} />
            <section class="card stack" aria-labelledby="parameters">
              <h2 id="parameters">Parameters</h2>
              <ParameterTable schema={tool.inputSchema} />
              <CodeBlock title="Short form for models" text={tool.signature} label="Signature" />
            </section>
            <Schemas tool={tool} />
          </div>
          <ToolFacts tool={tool} now={overview.gateway.now} hasRules={overview.caller.isUnlimited} />
        </div>
      )}
    </>
  )
}

const AVAILABILITY_TONES = { enabled: 'ok', disabled: 'plain', blocked: 'bad' } as const

function Description({ tool }: { readonly tool: InspectorTool }) {
  return (
    <section class="card stack" aria-labelledby="description">
      <h2 id="description">Description</h2>
      <span class="badges">
        <Badge tone={AVAILABILITY_TONES[tool.availability]}>{tool.availability}</Badge>
        {tool.category !== '' && <Badge>{tool.category}</Badge>}
        {tool.tags.map((tag) => (
          <Badge key={tag}>#{tag}</Badge>
        ))}
      </span>
      {tool.warningTexts.length > 0 && (
        <div class="notice notice-warn">
          <ul class="bullets">
            {tool.warningTexts.map((text) => (
              <li key={text}>
                <ServerText text={text} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {tool.description === '' ? (
        <p class="quiet">The server gives no description of this tool.</p>
      ) : (
        <p class="prose">
          <ServerText text={tool.description} />
        </p>
      )}
    </section>
  )
}

function Schemas({ tool }: { readonly tool: InspectorTool }) {
  return (
    <section class="card stack" aria-labelledby="schemas">
      <h2 id="schemas">Schema</h2>
      <details>
        <summary>Input schema</summary>
        <JsonBlock value={tool.inputSchema} label="Input schema" />
      </details>
      {tool.outputSchema !== undefined && (
        <details>
          <summary>Output schema</summary>
          <JsonBlock value={tool.outputSchema} label="Output schema" />
        </details>
      )}
      {tool.annotations !== undefined && Object.keys(tool.annotations).length > 0 && (
        <details>
          <summary>Annotations</summary>
          <JsonBlock value={tool.annotations} label="Annotations" />
        </details>
      )}
    </section>
  )
}
