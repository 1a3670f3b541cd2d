// The form fields of a rule that the user tests.

export interface RuleDraft {
  readonly pattern: string
  readonly server: string
  readonly effect: string
  readonly tags: string
  /** The place of the rule, from 1. */
  readonly at: string
}

interface RuleFieldsProps {
  readonly draft: RuleDraft
  /** The number of rules so far. */
  readonly count: number
  onChange(draft: RuleDraft): void
}

export function RuleFields({ draft, count, onChange }: RuleFieldsProps) {
  const places = Array.from({ length: count + 1 }, (_, at) => String(at + 1))
  return (
    <div class="rule-fields">
      <div class="field">
        <label for="rule-pattern">Pattern</label>
        <input
          id="rule-pattern"
          class="mono"
          placeholder="*delete*, !*draft*"
          autocomplete="off"
          spellcheck={false}
          value={draft.pattern}
          aria-describedby="rule-pattern-help"
          onInput={({ currentTarget }) => onChange({ ...draft, pattern: currentTarget.value })}
        />
        <p id="rule-pattern-help" class="field-help">
          Globs (<code>*</code> is any text) or <code>/regex/</code>, with commas between them. A leading <code>!</code>{' '}
          excludes.
        </p>
      </div>
      <div class="field">
        <label for="rule-server">Server</label>
        <input
          id="rule-server"
          class="mono"
          placeholder="all servers"
          autocomplete="off"
          spellcheck={false}
          value={draft.server}
          onInput={({ currentTarget }) => onChange({ ...draft, server: currentTarget.value })}
        />
      </div>
      <div class="field">
        <label for="rule-effect">Effect</label>
        <select
          id="rule-effect"
          value={draft.effect}
          onChange={({ currentTarget }) => onChange({ ...draft, effect: currentTarget.value })}
        >
          <option value="disable">disables tools</option>
          <option value="enable">enables tools</option>
          <option value="tag">tags tools</option>
        </select>
      </div>
      {draft.effect === 'tag' && (
        <div class="field">
          <label for="rule-tags">Tags</label>
          <input
            id="rule-tags"
            placeholder="issues, team-a"
            autocomplete="off"
            value={draft.tags}
            onInput={({ currentTarget }) => onChange({ ...draft, tags: currentTarget.value })}
          />
        </div>
      )}
      <div class="field">
        <label for="rule-at">Place</label>
        <select
          id="rule-at"
          value={draft.at}
          onChange={({ currentTarget }) => onChange({ ...draft, at: currentTarget.value })}
        >
          {places.map((place) => (
            <option key={place} value={place}>
              {placeText(Number(place), count)}
            </option>
          ))}
        </select>
      </div>
    </div>
  )
}

function placeText(place: number, count: number): string {
  if (place === 1) return 'first'
  return place === count + 1 ? 'last' : `before rule ${place}`
}
