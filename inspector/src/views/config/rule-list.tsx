// The rules in their order, each with the number of tools for which it decides.

import type { InspectorRule } from '../../../../src/front/inspector/api.ts'
import { count, number } from '../../format.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Bar } from '../../parts/bar.tsx'
import { Empty } from '../../parts/state.tsx'

const TONES: Readonly<Record<InspectorRule['effect'], Tone>> = { enables: 'ok', disables: 'bad', tags: 'plain' }

export function RuleList({ rules }: { readonly rules: readonly InspectorRule[] }) {
  if (rules.length === 0)
    return <Empty title="There are no rules">Every tool is enabled. Test a rule below before you write it.</Empty>
  const max = Math.max(1, ...rules.map(({ matches }) => matches))
  return (
    <ol class="rules">
      {rules.map((rule) => (
        <li key={`${rule.owner ?? ''} ${rule.index}`} class={rule.shadowedBy === undefined ? '' : 'is-shadowed'}>
          <span class="rule-index">{rule.index}</span>
          <div class="rule-body">
            <div class="rule-head">
              <code>{rule.text}</code>
              <span class="badges">
                <Badge tone={TONES[rule.effect]}>{rule.effect}</Badge>
                {rule.shadowedBy !== undefined && <Badge tone="warn">shadowed by rule {rule.shadowedBy}</Badge>}
                {rule.owner === 'project' && <Badge>from the project</Badge>}
              </span>
            </div>
            <div class="rule-count">
              <Bar
                value={rule.effect === 'tags' ? rule.matches : rule.decides}
                max={max}
                tone={rule.effect === 'disables' ? 'bad' : 'accent'}
              />
              <span class="quiet">{effectText(rule)}</span>
            </div>
          </div>
        </li>
      ))}
    </ol>
  )
}

function effectText({ effect, decides, matches }: InspectorRule): string {
  // A tool gets the tags of all matching rules, so a rule that only tags decides nothing.
  if (effect === 'tags') return `tags ${count(matches, 'tool')}`
  return `decides for ${number(decides)} of ${count(matches, 'matching tool')}`
}
