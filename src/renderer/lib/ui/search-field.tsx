import { useTextField } from '../util/composition.ts'

interface SearchFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onKeyDown?: (event: React.KeyboardEvent) => void
  readonly className?: string
}

const fieldLook = 'min-h-7 w-56 min-w-0 border-line bg-raised'

export function SearchField({ label, value, onChange, onKeyDown, className = fieldLook }: SearchFieldProps) {
  return (
    <input
      type="search"
      {...useTextField(value, onChange)}
      aria-label={label}
      placeholder={label}
      onKeyDown={onKeyDown}
      className={`rounded-sm border px-2 outline-none focus:border-accent ${className}`}
    />
  )
}

/** A borderless filter field for the sidebar. Escape clears it. */
export function FilterField({ className = '', ...field }: Omit<SearchFieldProps, 'onKeyDown'>) {
  return (
    <SearchField
      {...field}
      onKeyDown={(event) => event.key === 'Escape' && field.onChange('')}
      className={`h-7 border-transparent bg-soft placeholder:text-muted focus:bg-raised [&::-webkit-search-cancel-button]:hidden ${className}`}
    />
  )
}
