/** A map of memory: what is large, what is recalled, what never is, what grew old, what is there twice (M44). */
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Agent, CountedSurvey, Survey } from '#shared/contract/index.ts'
import { formatNumber, formatPercent } from '#lib/i18n/format.ts'
import { ErrorState } from '#lib/feedback/error-state.tsx'
import { Button } from '#lib/ui/button.tsx'
import { Choice } from '#lib/ui/choice.tsx'
import { EmptyState, Skeleton } from '#lib/ui/states.tsx'
import { SearchTabs } from '#lib/ui/search-tabs.tsx'
import { Treemap } from './treemap.tsx'
import { useSurvey } from './use-survey.ts'
import { SurveyedFiles } from './surveyed-files.tsx'
import { LineRow, SurveyedLines } from './surveyed-lines.tsx'

const parts = ['files', 'table', 'most', 'never', 'stale', 'duplicates'] as const

type Part = (typeof parts)[number]

export function MapView({ agent }: { agent: Agent }) {
  const { t } = useTranslation()
  const [part, setPart] = useState<Part>('files')
  const { survey, progress, error, isOutdated, again } = useSurvey(agent.id)
  return (
    <section aria-label={t('map.title')} className="flex min-w-0 flex-1 flex-col">
      <SearchTabs>
        {progress && (
          <progress
            aria-label={t('map.reading')}
            value={progress.total > 0 ? progress.done : undefined}
            max={Math.max(1, progress.total)}
            className="h-1 w-20 accent-accent"
          />
        )}
        {isOutdated && <span className="text-[12px] text-warning">{t('map.outdated')}</span>}
        <Button look="quiet" disabled={progress !== undefined} onClick={again}>
          <RefreshCw size={13} aria-hidden />
          {t('map.again')}
        </Button>
      </SearchTabs>
      <div className="flex flex-wrap items-center gap-3 px-5 py-3">
        <Choice
          label={t('map.title')}
          value={part}
          options={parts.map((value) => ({ value, name: t(`map.part.${value}`) }))}
          onChoose={setPart}
        />
        {survey && <span className="text-[12px] text-muted">{t('map.searches', { count: survey.searches })}</span>}
      </div>
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto pb-5">
        {error ? (
          <ErrorState error={error} onRetry={again} />
        ) : !survey ? (
          <Skeleton lines={9} />
        ) : survey.files.length === 0 ? (
          <EmptyState title={t('map.empty')} />
        ) : (
          <PartView survey={survey} part={part} />
        )}
      </div>
    </section>
  )
}

function PartView({ survey, part }: { survey: CountedSurvey & Partial<Survey>; part: Part }) {
  const { t } = useTranslation()
  const { files, mostRecalled, neverRecalled, stale, staleDays, duplicates } = survey
  switch (part) {
    case 'files':
      return (
        <div className="flex min-h-0 flex-1 flex-col gap-2 px-5">
          <p className="text-[12px] text-muted">{t('map.legend')}</p>
          <Treemap files={files} />
        </div>
      )
    case 'table':
      return <SurveyedFiles files={files} />
    case 'most':
      return (
        <SurveyedLines
          key={part}
          lines={mostRecalled}
          hint={t('map.mostHint')}
          empty={t('map.mostEmpty')}
          noteOf={({ recalls }) => t('map.recalledTimes', { count: recalls ?? 0 })}
        />
      )
    case 'never':
      return (
        <SurveyedLines
          key={part}
          lines={neverRecalled.longest}
          hint={t('map.neverHint', { count: neverRecalled.count, of: formatNumber(neverRecalled.of) })}
          empty={t('map.neverEmpty')}
        />
      )
    case 'stale':
      return (
        <>
          <p className="px-5 pb-2 text-muted">{t('map.staleHint', { count: staleDays })}</p>
          {stale.length === 0 ? <EmptyState title={t('map.staleEmpty')} /> : <SurveyedFiles files={stale} />}
        </>
      )
    case 'duplicates':
      return !duplicates ? (
        <Skeleton lines={9} />
      ) : duplicates.length === 0 ? (
        <EmptyState title={t('map.duplicatesEmpty')} />
      ) : (
        <>
          <p className="px-5 pb-2 text-muted">{t('map.duplicatesHint')}</p>
          <ul>
            {duplicates.map(({ similarity, count, isInOtherWords, lines }) => (
              <li
                key={`${lines[0]?.path}:${lines[0]?.line}`}
                data-testid="duplicates"
                className="border-t border-soft py-2"
              >
                <p className="px-5 text-[12px] text-muted">
                  {isInOtherWords
                    ? t('map.meantAlike')
                    : t('map.alike', { count, similarity: formatPercent(similarity) })}
                </p>
                <ul>
                  {lines.map((line) => (
                    <LineRow key={`${line.path}:${line.line}`} line={line} />
                  ))}
                </ul>
              </li>
            ))}
          </ul>
        </>
      )
  }
}
