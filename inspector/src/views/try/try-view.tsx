// Try a tool: choose one, fill in its form, run it, and see what it answers.

import type { InspectorTool } from '../../../../src/front/inspector/api.ts'
import { useResource } from '../../gateway/use-resource.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { ServerText } from '../../parts/server-text.tsx'
import { Failure, Skeleton } from '../../parts/state.tsx'
import { hrefTo } from '../../route.ts'
import type { GatewayData } from '../view-props.ts'
import { ToolPicker } from './tool-picker.tsx'
import { Workbench } from './workbench.tsx'

interface TryViewProps {
  readonly id: string | undefined
  readonly data: GatewayData
}

export function TryView({ id, data }: TryViewProps) {
  const path = id === undefined ? undefined : `api/tool?id=${encodeURIComponent(id)}`
  const { data: tool, failure, isLoading, reload } = useResource<InspectorTool>(path)
  const actions = (
    <a class="button" href={hrefTo('tools', id)}>
      See it in the catalog
    </a>
  )
  return (
    <>
      <PageHead
        title="Try a tool"
        name={id === undefined ? 'Try a tool' : `Try ${id}`}
        actions={id === undefined || failure !== undefined ? undefined : actions}
      >
        The call goes through the gateway, with the same rules and the same audit as every other call.
      </PageHead>
      <ToolPicker tools={data.tools} current={id} />
      {failure !== undefined && <Failure failure={failure} what="This tool cannot be tried." onRetry={reload} />}
      {isLoading && <Skeleton lines={6} label="Loading the tool" />}
      {tool !== undefined && (
        <>
          <p class="prose try-about">
            <ServerText text={tool.summary} />
          </p>
          <Workbench
            tool={tool}
            canCall={data.overview.caller.canCall}
            isExample={data.overview.servers.some(({ id: server, isExample }) => server === tool.server && isExample)}
          />
        </>
      )}
    </>
  )
}
