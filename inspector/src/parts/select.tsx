// A drop-down list with a visible label, for a filter. The first entry selects everything.

import { useId } from 'preact/hooks'

interface SelectProps {
  readonly label: string
  readonly value: string
  readonly options: readonly string[]
  onChange(value: string): void
}

export function Select({ label, value, options, onChange }: SelectProps) {
  const id = useId()
  // The address bar can contain a value that the list does not have.
  const shown = value === '' || options.includes(value) ? options : [value, ...options]
  return (
    <div class="select">
      <label class="select-label" for={id}>
        {label}
      </label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">All</option>
        {shown.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    </div>
  )
}
