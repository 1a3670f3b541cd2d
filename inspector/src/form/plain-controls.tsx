// The form controls for text, numbers, choices and JSON. An empty control has the value undefined; an empty editor
// for an object has `{}`.

import { useEffect, useState } from 'preact/hooks'
import { isRecord } from '../is-record.ts'
import type { ControlIds } from './schema-field.tsx'

interface ControlProps {
  readonly ids: ControlIds
  readonly value: unknown
  readonly isRequired: boolean
  onChange(value: unknown): void
}

/** The keyboard that a phone shows for a format. */
const KEYBOARDS: Readonly<Record<string, 'email' | 'url'>> = { email: 'email', uri: 'url' }

export function TextControl({ ids, value, format, onChange }: ControlProps & { readonly format: string | undefined }) {
  const text = typeof value === 'string' ? value : ''
  const set = (next: string) => onChange(next === '' ? undefined : next)
  if (format === 'date')
    return <input {...ids} type="date" value={text} onInput={({ currentTarget }) => set(currentTarget.value)} />
  if (format === 'password')
    return <input {...ids} type="password" value={text} onInput={({ currentTarget }) => set(currentTarget.value)} />
  return (
    <textarea
      {...ids}
      class="grows"
      rows={1}
      spellcheck={false}
      inputMode={KEYBOARDS[format ?? '']}
      placeholder={format === 'date-time' ? '2026-01-31T12:00:00Z' : ''}
      value={text}
      onInput={({ currentTarget }) => set(currentTarget.value)}
    />
  )
}

interface NumberControlProps extends ControlProps {
  readonly shape: { readonly isInteger: boolean; readonly min?: number; readonly max?: number }
}

export function NumberControl({ ids, value, shape, onChange }: NumberControlProps) {
  const [typed, setTyped] = useState('')
  const printed = typeof value === 'number' ? String(value) : ''
  // While the user types `1.05`, the text `1.0` must not become `1`.
  const shown = typed !== '' && Number(typed) === value ? typed : printed
  const set = (input: HTMLInputElement) => {
    setTyped(input.value)
    if (input.value === '') return onChange(undefined)
    onChange(input.valueAsNumber)
  }
  return (
    <input
      {...ids}
      type="number"
      step={shape.isInteger ? 1 : 'any'}
      min={shape.min}
      max={shape.max}
      value={shown}
      onInput={({ currentTarget }) => set(currentTarget)}
    />
  )
}

interface ChoiceControlProps extends ControlProps {
  readonly values: readonly unknown[]
  /** The texts of the options, if they differ from the values. */
  readonly names?: readonly unknown[] | undefined
}

export function ChoiceControl({ ids, value, values, names = [], isRequired, onChange }: ChoiceControlProps) {
  const texts = values.map((one) => JSON.stringify(one))
  const chosen = texts.indexOf(JSON.stringify(value) ?? '')
  return (
    <select
      {...ids}
      value={String(chosen)}
      onChange={({ currentTarget }) => onChange(values[Number(currentTarget.value)])}
    >
      <option value="-1">{isRequired ? 'Choose' : 'Not set'}</option>
      {values.map((one, at) => (
        <option key={texts[at]} value={String(at)}>
          {[names[at], one].find((text) => typeof text === 'string') ?? texts[at]}
        </option>
      ))}
    </select>
  )
}

interface JsonControlProps {
  readonly ids: ControlIds
  readonly value: unknown
  readonly rows?: number
  /** Refuses JSON that is not an object. An empty text is an empty object. */
  readonly mustBeObject?: boolean
  onChange(value: unknown): void
  /** Called with undefined when the text has no problem, and when the editor is removed. */
  onProblem(problem: string | undefined): void
}

/** A JSON editor. While the text has a problem, the last valid value is kept. */
export function JsonControl({ ids, value, rows = 3, mustBeObject = false, onChange, onProblem }: JsonControlProps) {
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value, null, 2)))
  const [problem, setProblem] = useState<string>()
  const report = (next: string | undefined) => {
    setProblem(next)
    onProblem(next)
  }
  useEffect(() => () => onProblem(undefined), [])
  const set = (next: string) => {
    setText(next)
    if (next.trim() === '') {
      report(undefined)
      return onChange(mustBeObject ? {} : undefined)
    }
    try {
      const parsed: unknown = JSON.parse(next)
      if (mustBeObject && !isRecord(parsed))
        return report('This is JSON, but not an object. Start with { and end with }.')
      report(undefined)
      onChange(parsed)
    } catch (error) {
      report(`Not valid JSON: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return (
    <>
      <textarea
        {...ids}
        {...(problem === undefined ? {} : { 'aria-invalid': 'true' as const })}
        class="code"
        rows={rows}
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => set(currentTarget.value)}
      />
      <p class="field-problem" role="status">
        {problem}
      </p>
    </>
  )
}
