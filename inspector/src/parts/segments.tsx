// A choice between a few options, as radio buttons in one row.

import { useId } from 'preact/hooks'

interface SegmentsProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly options: readonly (readonly [T, string])[]
  onChange(value: NoInfer<T>): void
}

export function Segments<T extends string>({ label, value, options, onChange }: SegmentsProps<T>) {
  const name = useId()
  return (
    <fieldset class="segments">
      <legend class="visually-hidden">{label}</legend>
      {options.map(([option, text]) => (
        <label key={option} class="segment">
          <input type="radio" name={name} checked={option === value} onChange={() => onChange(option)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  )
}
