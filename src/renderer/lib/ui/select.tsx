import type { ChoiceProps } from './choice.tsx'

interface SelectProps<T extends string> extends Omit<ChoiceProps<T>, 'label'> {
  readonly label?: string
  readonly className?: string
}

export function Select<T extends string>({
  label,
  value,
  options,
  onChoose,
  className = 'min-h-7 px-1.5',
}: SelectProps<T>) {
  return (
    <select
      aria-label={label}
      value={value}
      // The element has only the values of its options.
      onChange={(event) => onChoose(event.target.value as T)}
      className={`rounded-sm border border-line bg-raised ${className}`}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.name}
        </option>
      ))}
    </select>
  )
}
