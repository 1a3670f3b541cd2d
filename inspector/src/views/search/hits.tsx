// The ranked tools of a search, each with the terms that matched.

import { useState } from 'preact/hooks'
import type { InspectorHit, InspectorSearch } from '../../../../src/front/inspector/api.ts'
import { count } from '../../format.ts'
import { Bar } from '../../parts/bar.tsx'
import { ServerText } from '../../parts/server-text.tsx'
import { Empty } from '../../parts/state.tsx'
import { TextWithCode } from '../../parts/text-with-code.tsx'
import { hrefTo } from '../../route.ts'

/** The number of results that are shown at first. The model itself sees only the first few. */
const SHOWN = 8
/** Reasons with a smaller share of the score are left out. */
const MIN_SHARE = 0.05

export function Hits({ search }: { readonly search: InspectorSearch }) {
  const [areAllShown, setAreAllShown] = useState(false)
  return (
    <section class="card stack" aria-labelledby="hits">
      <div class="card-head">
        <h2 id="hits">Results</h2>
        <p class="quiet">{count(search.hits.length, 'tool')}</p>
      </div>
      {search.hits.length > 0 && (
        <p class="quiet">The relevance is a number from 0 to 1. Each matched term shows its share of the relevance.</p>
      )}
      {search.hits.length === 0 ? (
        <Empty title="Nothing was found">{search.reason !== undefined && <TextWithCode text={search.reason} />}</Empty>
      ) : (
        <ol class="hits">
          {search.hits.slice(0, areAllShown ? undefined : SHOWN).map((hit, at) => (
            <Hit key={hit.id} hit={hit} rank={at + 1} />
          ))}
        </ol>
      )}
      {!areAllShown && search.hits.length > SHOWN && (
        <div class="more">
          <button type="button" class="button" onClick={() => setAreAllShown(true)}>
            Show all {search.hits.length} results
          </button>
        </div>
      )}
    </section>
  )
}

function Hit({ hit, rank }: { readonly hit: InspectorHit; readonly rank: number }) {
  const reasons = hit.reasons.filter(({ score }) => score >= MIN_SHARE)
  return (
    <li class="hit">
      <span class="hit-rank" aria-hidden="true">
        {rank}
      </span>
      <div class="hit-body">
        <div class="hit-head">
          <a class="mono" href={hrefTo('tools', hit.id)}>
            <ServerText text={hit.id} />
          </a>
          <span class="hit-relevance">
            <Bar value={hit.relevance} max={1} tone="accent" />
            <span class="number">
              <span class="visually-hidden">relevance </span>
              {hit.relevance.toFixed(2)}
            </span>
          </span>
        </div>
        <p class="quiet clamp">
          <ServerText text={hit.summary} />
        </p>
        {reasons.length > 0 && (
          <ul class="reasons" aria-label="Matched terms">
            {reasons.map(({ word, term, field, score }) => (
              <li key={`${word} ${term} ${field}`}>
                <b>
                  <ServerText text={word} />
                </b>{' '}
                {term !== word && (
                  <>
                    as <ServerText text={term} />{' '}
                  </>
                )}
                in {field} <span class="number">{Math.round(score * 100)} %</span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </li>
  )
}
