// Config: the sources, the rules in their order, the messages of the validation, and a preview of a rule.

import type { InspectorConfig } from '../../../../src/front/inspector/api.ts'
import { count } from '../../format.ts'
import { useResource } from '../../gateway/use-resource.ts'
import { Badge } from '../../parts/badge.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { ServerText } from '../../parts/server-text.tsx'
import { Empty, Failure, Skeleton } from '../../parts/state.tsx'
import type { GatewayData } from '../view-props.ts'
import { RuleList } from './rule-list.tsx'
import { RulePreview } from './rule-preview.tsx'

export function ConfigView({ data: { overview } }: { readonly data: GatewayData }) {
  const { isUnlimited } = overview.caller
  const { data: config, failure, reload } = useResource<InspectorConfig>(isUnlimited ? 'api/config' : undefined)
  return (
    <>
      <PageHead title="Config" name="Config">
        This page shows the config and writes nothing. Change it in its file, or with commands such as{' '}
        <code>toolcrib add</code>.
      </PageHead>
      {!isUnlimited && (
        <div class="card">
          <Empty title="You have no access to the config">Only a login with all rights can see it.</Empty>
        </div>
      )}
      {failure !== undefined && <Failure failure={failure} what="The config cannot be loaded." onRetry={reload} />}
      {isUnlimited && config === undefined && failure === undefined && (
        <Skeleton lines={10} label="Loading the config" />
      )}
      {config !== undefined && (
        <>
          <Problems problems={config.problems} />
          <Sources config={config} />
          <section class="card stack" aria-labelledby="rules">
            <div class="card-head">
              <h2 id="rules">Rules</h2>
              {config.rules.length > 0 && (
                <p class="quiet">
                  {count(config.rules.length, 'rule')}. The first match decides, but a rule for a tool's name overrides
                  an earlier rule that enables its whole server. A rule with only * decides last.
                </p>
              )}
            </div>
            <RuleList rules={config.rules} />
          </section>
          <RulePreview rules={config.rules} />
        </>
      )}
    </>
  )
}

function Problems({ problems }: { readonly problems: InspectorConfig['problems'] }) {
  return (
    <section class="card stack" aria-labelledby="validation">
      <div class="card-head">
        <h2 id="validation">Validation</h2>
        <p class="quiet">
          The same messages as <code>toolcrib config validate</code>
        </p>
      </div>
      {problems.length === 0 ? (
        <p>
          <Badge tone="ok">valid</Badge> The config has no problem.
        </p>
      ) : (
        <ul class="messages">
          {errorsFirst(problems).map(({ severity, message, path }) => (
            <li key={`${path} ${message}`}>
              <Badge tone={severity === 'error' ? 'bad' : 'warn'}>{severity}</Badge>
              <span>
                <ServerText text={message} />
                {path !== undefined && <code class="quiet"> {path}</code>}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function errorsFirst(problems: InspectorConfig['problems']): InspectorConfig['problems'] {
  return [...problems].sort((a, b) => Number(a.severity !== 'error') - Number(b.severity !== 'error'))
}

function Sources({ config: { files, sources } }: { readonly config: InspectorConfig }) {
  return (
    <section class="card stack" aria-labelledby="sources">
      <div class="card-head">
        <h2 id="sources">Files and sources</h2>
        <p class="quiet">
          {count(files.length, 'config file')}, {count(sources.length, 'source')}
        </p>
      </div>
      {files.length === 0 && sources.length === 0 && (
        <Empty title="No config file was found">
          Run <code>toolcrib config init</code> to write one.
        </Empty>
      )}
      {files.length > 0 && (
        <>
          <h3>Config files</h3>
          <ul>
            {files.map((file) => (
              <li key={file} class="mono">
                {file}
              </li>
            ))}
          </ul>
        </>
      )}
      {sources.length > 0 && <h3>Sources of servers</h3>}
      {sources.length > 0 && (
        <ul class="sources">
          {sources.map((source) => (
            <li key={`${source.name} ${source.path}`}>
              <div class="source-head">
                <strong>{source.name}</strong>
                <Badge tone={source.isUsed ? 'ok' : 'plain'}>{source.isUsed ? 'used' : 'not used'}</Badge>
              </div>
              <p class="mono quiet">{source.path}</p>
              <p>
                {source.servers.length === 0 ? (
                  <span class="quiet">no server</span>
                ) : (
                  <>
                    {count(source.servers.length, 'server')}: <span class="mono">{source.servers.join(', ')}</span>
                  </>
                )}
              </p>
              {source.note !== undefined && <p class="quiet">{source.note}</p>}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
