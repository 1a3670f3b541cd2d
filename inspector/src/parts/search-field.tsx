// A search field. The key `/` moves the focus to it, so a view has at most one search field.

interface SearchFieldProps {
  readonly label: string
  readonly value: string
  readonly placeholder?: string
  readonly isLarge?: boolean
  onInput(value: string): void
}

export function SearchField({ label, value, placeholder = label, isLarge = false, onInput }: SearchFieldProps) {
  return (
    <label class={`search${isLarge ? ' search-large' : ''}`}>
      <span class="visually-hidden">{label}</span>
      <input
        type="search"
        data-search
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      <span class="key" aria-hidden="true">
        /
      </span>
    </label>
  )
}
