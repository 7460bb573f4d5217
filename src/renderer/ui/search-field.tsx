/** A small field that narrows down what is below or beside it. */
interface SearchFieldProps {
  /** Says what is looked for, to everybody. */
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onKeyDown?: (event: React.KeyboardEvent) => void
}

export function SearchField({ label, value, onChange, onKeyDown }: SearchFieldProps) {
  return (
    <input
      type="search"
      value={value}
      aria-label={label}
      placeholder={label}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={onKeyDown}
      className="min-h-7 w-56 rounded-sm border border-line bg-raised px-2 outline-none focus:border-accent"
    />
  )
}
