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
