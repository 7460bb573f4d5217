export interface ChoiceProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly options: readonly { readonly value: T; readonly name: string }[]
  readonly onChoose: (value: T) => void
}

export function Choice<T extends string>({ label, value, options, onChoose }: ChoiceProps<T>) {
  return (
    <div role="radiogroup" aria-label={label} className="flex max-w-full flex-wrap gap-0.5 rounded-sm bg-soft p-0.5">
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="radio"
          aria-checked={option.value === value}
          onClick={() => onChoose(option.value)}
          className="min-h-6 shrink-0 rounded-[5px] px-2 text-[12px] whitespace-nowrap text-muted aria-checked:bg-raised aria-checked:text-text"
        >
          {option.name}
        </button>
      ))}
    </div>
  )
}
