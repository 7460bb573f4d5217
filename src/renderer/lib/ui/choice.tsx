import type { ReactNode } from 'react'

interface ChoiceProps<T extends string> {
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

interface SliderProps {
  readonly label: string
  /** The value as text. */
  readonly shown: string
  readonly value: number
  readonly min?: number
  readonly max: number
  readonly step: number
  readonly onChange: (value: number) => void
}

export function Slider({ label, shown, value, min = 0, max, step, onChange }: SliderProps) {
  return (
    <label className="flex flex-col gap-1">
      <span className="flex justify-between gap-2">
        {label}
        <span className="tabular text-right text-muted">{shown}</span>
      </span>
      <input
        type="range"
        aria-label={label}
        aria-valuetext={shown}
        min={min}
        max={max}
        step={step}
        value={value}
        onChange={(event) => onChange(event.target.valueAsNumber)}
        className="accent-accent"
      />
    </label>
  )
}

interface CheckboxProps {
  readonly role?: 'switch'
  readonly checked: boolean
  readonly disabled?: boolean
  readonly title?: string
  readonly className?: string
  readonly onChange: (isChecked: boolean) => void
  readonly children: ReactNode
}

export function Checkbox({ title, className = '', onChange, children, ...input }: CheckboxProps) {
  return (
    <label title={title} className={`flex items-baseline gap-2 ${className}`}>
      <input
        type="checkbox"
        {...input}
        onChange={(event) => onChange(event.target.checked)}
        className="shrink-0 translate-y-0.5 accent-accent"
      />
      <span className="min-w-0 break-words">{children}</span>
    </label>
  )
}
