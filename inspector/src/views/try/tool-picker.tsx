// Finds a tool by typing a part of its name: a field with a list of suggestions.

import { useMemo, useState } from 'preact/hooks'
import type { InspectorTools } from '../../../../src/front/inspector/api.ts'
import { count } from '../../format.ts'
import type { LoadedResource } from '../../gateway/use-resource.ts'
import { ServerText } from '../../parts/server-text.tsx'
import { Failure, Skeleton } from '../../parts/state.tsx'
import { hrefTo } from '../../route.ts'
import { filterable } from '../catalog/filter-tools.ts'

interface ToolPickerProps {
  readonly tools: LoadedResource<InspectorTools>
  readonly current: string | undefined
}

const MAX_SHOWN = 12

export function ToolPicker({ tools, current }: ToolPickerProps) {
  const [text, setText] = useState(current ?? '')
  const [isOpen, setIsOpen] = useState(current === undefined)
  const [active, setActive] = useState(0)
  const rows = tools.data?.tools
  const list = useMemo(() => filterable(rows ?? []), [rows])
  const matching = useMemo(
    () => list.filter({ text: text === current ? '' : text, server: '', category: '', tag: '', state: 'enabled' }),
    [list, text, current],
  )
  const found = matching.slice(0, MAX_SHOWN)
  const choose = (id: string) => {
    setText(id)
    setIsOpen(false)
    location.hash = hrefTo('try', id)
  }
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setIsOpen(true)
      setActive((active + step + found.length) % Math.max(1, found.length))
    }
    const chosen = found[active]
    if (event.key === 'Enter' && isOpen && chosen !== undefined) choose(chosen.id)
    if (event.key === 'Escape') setIsOpen(false)
  }
  const optionId = (at: number) => `picker-option-${at}`
  const isShown = isOpen && found.length > 0
  return (
    <div class="picker">
      <label for="picker">Tool</label>
      <input
        id="picker"
        data-search
        class="mono"
        role="combobox"
        type="text"
        autocomplete="off"
        spellcheck={false}
        placeholder="Type a part of its name"
        aria-expanded={isShown}
        aria-controls="picker-list"
        aria-autocomplete="list"
        aria-activedescendant={isShown ? optionId(active) : undefined}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          setActive(0)
          setIsOpen(true)
        }}
        onClick={() => setIsOpen(true)}
        onBlur={() => current !== undefined && setIsOpen(false)}
        onKeyDown={onKey}
      />
      {tools.failure !== undefined && (
        <Failure failure={tools.failure} what="The tools cannot be loaded." onRetry={tools.reload} />
      )}
      <div
        id="picker-list"
        role="listbox"
        aria-label="Tools"
        class={`picker-list${current === undefined ? ' is-inline' : ''}`}
        hidden={!isShown}
      >
        {found.map((tool, at) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the active option
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
          <div
            key={tool.id}
            id={optionId(at)}
            role="option"
            aria-selected={at === active}
            class="picker-option"
            // The field must not lose the focus before the click.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(tool.id)}
          >
            <span class="mono">
              <ServerText text={tool.id} />
            </span>
            <span class="quiet one-line">
              <ServerText text={tool.summary} />
            </span>
          </div>
        ))}
      </div>
      {current === undefined && rows === undefined && tools.failure === undefined && (
        <Skeleton lines={MAX_SHOWN} label="Loading the tools" />
      )}
      {current === undefined && matching.length > MAX_SHOWN && (
        <p class="quiet">
          The first {MAX_SHOWN} of {count(matching.length, 'tool')}. Type to find the others.
        </p>
      )}
      {rows !== undefined && found.length === 0 && (
        <p class="quiet">
          {text === '' || text === current
            ? 'There is no enabled tool.'
            : 'No enabled tool has these words in its name, its tags or the first sentence of its description.'}
        </p>
      )}
    </div>
  )
}
