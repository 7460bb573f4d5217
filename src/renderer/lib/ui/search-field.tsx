import { useState, type FormEvent } from 'react'

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

/** Keeps keys that an input method uses (Enter, Escape, arrows) from all handlers but the editor's own. */
export function ignoreComposedKeys(): void {
  const ignore = (event: KeyboardEvent) => {
    const isInEditor = event.target instanceof Element && event.target.closest('.monaco-editor') !== null
    // Safari reports key code 229 for the last key, after the composition.
    if ((!event.isComposing && event.keyCode !== 229) || isInEditor) return
    event.stopImmediatePropagation()
    // The browser clears search fields at Escape.
    if (event.key === 'Escape') event.preventDefault()
  }
  addEventListener('keydown', ignore, { capture: true })
}

/**
 * Returns properties of a text field that calls `onChange` only with complete text, not with the letters that an input
 * method composes. Hangul is complete at each key.
 */
export function useTextField(value: string, onChange: (value: string) => void) {
  const [composed, setComposed] = useState<string>()
  const accept = (text: string) => {
    setComposed(undefined)
    onChange(text)
  }
  return {
    value: composed ?? value,
    onChange: ({ currentTarget: field, nativeEvent }: FormEvent<HTMLInputElement>) => {
      const event = nativeEvent as InputEvent
      if (event.isComposing && !/\p{Script=Hangul}$/u.test(event.data ?? '')) setComposed(field.value)
      else accept(field.value)
    },
    onCompositionEnd: ({ currentTarget: field }: FormEvent<HTMLInputElement>) => accept(field.value),
  }
}
