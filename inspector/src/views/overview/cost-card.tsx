// The tokens of the tool list: with every tool listed, and under each strategy.

import type { InspectorCost } from '../../../../src/front/inspector/api.ts'
import { number, percent, tokens } from '../../format.ts'
import { Badge } from '../../parts/badge.tsx'
import { Bar } from '../../parts/bar.tsx'
import { Empty, Skeleton } from '../../parts/state.tsx'

interface CostCardProps {
  readonly costs: readonly InspectorCost[]
  readonly hasTools: boolean
  /** The strategies without a token count yet. */
  readonly counting: readonly string[]
}

export function CostCard({ costs, hasTools, counting }: CostCardProps) {
  const everything = costs.find(({ isEverything }) => isEverything === true)
  const now = costs.find(({ isCurrent }) => isCurrent)
  return (
    <section class="card stack" aria-labelledby="cost">
      <div class="card-head">
        <h2 id="cost">What a client pays for the tool list</h2>
        <p class="quiet">
          Tokens of <code>tools/list</code>, counted with the o200k tokenizer
        </p>
      </div>
      {!hasTools || everything === undefined || now === undefined ? (
        counting.length > 0 ? (
          <Skeleton lines={9} label="Counting the tokens" />
        ) : (
          <Empty title="There is no tool to list">The figures appear when a server has listed its tools.</Empty>
        )
      ) : (
        <>
          <Headline everything={everything} now={now} />
          <div class="card-head">
            <h3>The same tools under each strategy</h3>
            <p class="quiet">A strategy decides which tools a client lists</p>
          </div>
          <table class="cost-table">
            <thead>
              <tr>
                <th scope="col">Strategy</th>
                <th scope="col" class="number">
                  Tokens
                </th>
                <th scope="col" class="wide">
                  Share of everything
                </th>
              </tr>
            </thead>
            <tbody>
              {mostExpensiveFirst(costs).map((cost) => (
                <tr key={cost.strategy}>
                  <th scope="row">
                    <code>{cost.strategy}</code> {cost.isCurrent && <Badge tone="accent">now</Badge>}
                  </th>
                  <td class="number">{number(cost.tokens)}</td>
                  <td class="wide">
                    <div class="cost-share">
                      <Bar
                        value={cost.tokens}
                        max={Math.max(everything.tokens, cost.tokens)}
                        tone={cost.isCurrent ? 'accent' : 'plain'}
                      />
                      <span class="number">{percent(cost.tokens, everything.tokens)}</span>
                    </div>
                  </td>
                </tr>
              ))}
              {counting.map((strategy) => (
                <tr key={strategy}>
                  <th scope="row">
                    <code>{strategy}</code>
                  </th>
                  <td class="number">counting</td>
                  <td class="wide">
                    <div class="cost-share">
                      <Bar value={0} max={1} tone="plain" />
                      <span class="number">–</span>
                    </div>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </section>
  )
}

function mostExpensiveFirst(costs: readonly InspectorCost[]): readonly InspectorCost[] {
  return [...costs].sort((a, b) => b.tokens - a.tokens)
}

interface HeadlineProps {
  readonly everything: InspectorCost
  readonly now: InspectorCost
}

/** The two bars to compare: all tools listed with their schemas, and the current list. */
function Headline({ everything, now }: HeadlineProps) {
  const saved = everything.tokens - now.tokens
  const max = Math.max(everything.tokens, now.tokens, 1)
  return (
    <div class="headline">
      <p class="headline-figure" aria-live="polite">
        {saved > 0 && (
          <>
            <strong>{percent(saved, everything.tokens)}</strong> less: each client saves {tokens(saved)}
          </>
        )}
        {saved === 0 && (
          <>
            <strong>{tokens(now.tokens)}</strong> for every tool with its schema
          </>
        )}
        {saved < 0 && (
          <>
            <strong>{tokens(-saved)}</strong> more than a list of everything, because there are few tools
          </>
        )}
      </p>
      <dl class="versus">
        <div>
          <dt>Everything listed</dt>
          <dd>{tokens(everything.tokens)}</dd>
          <Bar value={everything.tokens} max={max} tone="plain" />
        </div>
        <div>
          <dt>
            Now, with <code>{now.strategy}</code>
          </dt>
          <dd>{tokens(now.tokens)}</dd>
          <Bar value={now.tokens} max={max} tone="accent" />
        </div>
      </dl>
    </div>
  )
}
