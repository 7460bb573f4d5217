import { t } from 'i18next'

/** Colours that are distinguishable in the light and the dark theme. */
export const agentColors = [
  '#3f5bd9',
  '#2f8a7b',
  '#b7791f',
  '#a04fb5',
  '#c2453b',
  '#4d7c2f',
  '#2b7fb8',
  '#7a6a58',
] as const

export function ColorChoice({ value, onChoose }: { value: string; onChoose: (color: string) => void }) {
  return (
    <div role="radiogroup" aria-label={t('agents.color')} className="flex gap-1.5">
      {agentColors.map((color, index) => (
        <button
          key={color}
          type="button"
          role="radio"
          aria-checked={color.toLowerCase() === value.toLowerCase()}
          aria-label={t('agents.colorNumber', { number: index + 1 })}
          onClick={() => onChoose(color)}
          className="size-6 rounded-full border-2 border-transparent aria-checked:border-text"
          style={{ background: color, backgroundClip: 'content-box', padding: 2 }}
        />
      ))}
    </div>
  )
}
