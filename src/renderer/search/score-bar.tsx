import { useTranslation } from 'react-i18next'
import { formatScore } from '#lib/i18n/format.ts'

interface ScoreBarProps {
  readonly score: number
  readonly vector: number
  readonly text: number
  readonly boost?: number
  readonly minScore: number
  readonly dim?: boolean
}

export function ScoreBar({ score, vector, text, boost = 0, minScore, dim = false }: ScoreBarProps) {
  const { t } = useTranslation()
  const label = t('search.scoreBar', {
    score: formatScore(score),
    vector: formatScore(vector),
    keyword: formatScore(text),
    minScore: formatScore(minScore),
  })
  return (
    <div role="img" aria-label={label} className={`relative h-1.5 rounded-full bg-soft ${dim ? 'opacity-55' : ''}`}>
      <div className="absolute inset-0 flex overflow-hidden rounded-full">
        <div className="bg-vector" style={{ width: `${vector * 100}%` }} />
        <div className="bg-keyword" style={{ width: `${text * 100}%` }} />
        {boost > 0 && <div className="bg-muted" style={{ width: `${boost * 100}%` }} />}
      </div>
      <div className="absolute -top-[3px] h-3 w-0.5 -translate-x-1/2 bg-text" style={{ left: `${minScore * 100}%` }} />
    </div>
  )
}
