import { isComposing } from '../util/shortcuts.ts'

interface SearchFieldProps {
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
      className="min-h-7 w-56 min-w-0 rounded-sm border border-line bg-raised px-2 outline-none focus:border-accent"
    />
  )
}

interface FilterFieldProps extends Omit<SearchFieldProps, 'onKeyDown'> {
  readonly className: string
}

/** A borderless filter field for the sidebar. Escape clears it. */
export function FilterField({ label, value, onChange, className }: FilterFieldProps) {
  return (
    <input
      type="text"
      role="searchbox"
      value={value}
      aria-label={label}
      placeholder={label}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => event.key === 'Escape' && !isComposing(event) && onChange('')}
      className={`h-7 rounded-sm border border-transparent bg-soft px-2 outline-none placeholder:text-muted focus:border-accent focus:bg-raised ${className}`}
    />
  )
}
