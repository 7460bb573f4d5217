interface SliderProps {
  readonly label: string
  /** The value in words. */
  readonly shown: string
  readonly value: number
  readonly least?: number
  readonly most: number
  readonly step: number
  readonly onChange: (value: number) => void
}

/** A value with its name and what it means in words. */
export function Slider({ label, shown, value, least = 0, most, step, onChange }: SliderProps) {
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
        min={least}
        max={most}
        step={step}
        value={value}
        onChange={(event) => onChange(event.target.valueAsNumber)}
        className="accent-accent"
      />
    </label>
  )
}
