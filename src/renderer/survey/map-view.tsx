/** A map of memory: what is large, what is recalled, what never is, what grew old, what is there twice (M44). */
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { Agent, Survey, SurveyedFile, SurveyedLine } from '../../shared/contract/index.ts'
import { formatBytes, formatMoment, formatNumber, formatPercent } from '../i18n/format.ts'
import { ErrorState } from '../feedback/index.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { paths } from '../navigate.ts'
import { EmptyState, Skeleton } from '../ui/states.tsx'
import { SearchTabs } from '../search/search-tabs.tsx'
import { Treemap } from './treemap.tsx'
import { useSurvey } from './use-survey.ts'

const parts = ['files', 'table', 'most', 'never', 'stale', 'duplicates'] as const
type Part = (typeof parts)[number]

/** Rows that are shown at first, and more of them each time. */
const page = 200

export function MapView({ agent }: { agent: Agent }) {
  const { t } = useTranslation()
  const [part, setPart] = useState<Part>('files')
  const { survey, progress, error, again } = useSurvey(agent.id)
  return (
    <section aria-label={t('map.title')} className="flex min-w-0 flex-1 flex-col">
      <SearchTabs>
        {progress && (
          <progress
            aria-label={t('map.reading')}
            value={progress.total > 0 ? progress.done : undefined}
            max={Math.max(1, progress.total)}
            className="w-20"
          />
        )}
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
          <Part survey={survey} part={part} />
        )}
      </div>
    </section>
  )
}

function Part({ survey, part }: { survey: Survey; part: Part }) {
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
      return <Files files={files} />
    case 'most':
      return (
        <Lines
          key={part}
          lines={mostRecalled}
          hint={t('map.mostHint')}
          empty={t('map.mostEmpty')}
          noteOf={({ recalls }) => t('map.recalledTimes', { count: recalls ?? 0 })}
        />
      )
    case 'never':
      return (
        <Lines
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
          {stale.length === 0 ? <EmptyState title={t('map.staleEmpty')} /> : <Files files={stale} />}
        </>
      )
    case 'duplicates':
      return duplicates.length === 0 ? (
        <EmptyState title={t('map.duplicatesEmpty')} />
      ) : (
        <>
          <p className="px-5 pb-2 text-muted">{t('map.duplicatesHint')}</p>
          <ul>
            {duplicates.map(({ similarity, count, lines }) => (
              <li
                key={`${lines[0]?.path}:${lines[0]?.line}`}
                data-testid="duplicates"
                className="border-t border-soft py-2"
              >
                <p className="px-5 text-[12px] text-muted">
                  {t('map.alike', { count, similarity: formatPercent(similarity) })}
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

type CountedLine = SurveyedLine & { readonly recalls?: number }

interface LinesProps {
  readonly lines: readonly CountedLine[]
  readonly hint: string
  readonly empty: string
  readonly noteOf?: (line: CountedLine) => string
}

function Lines({ lines, hint, empty, noteOf }: LinesProps) {
  if (lines.length === 0) return <EmptyState title={empty} />
  return (
    <>
      <p className="px-5 pb-2 text-muted">{hint}</p>
      <ul>
        {lines.map((line) => (
          <LineRow key={`${line.path}:${line.line}`} line={line} note={noteOf?.(line)} />
        ))}
      </ul>
    </>
  )
}

function LineRow({ line: { path, line, text }, note }: { line: SurveyedLine; note?: string | undefined }) {
  return (
    <li
      data-testid="surveyed-line"
      className="flex items-baseline gap-3 px-5 py-1 [contain-intrinsic-size:auto_28px] [content-visibility:auto]"
    >
      <Link href={paths.file(path, line)} className="w-56 shrink-0 truncate font-mono text-[12px] hover:underline">
        {path}:{line}
      </Link>
      <span className="min-w-0 flex-1 truncate" title={text}>
        {text}
      </span>
      {note !== undefined && <span className="tabular shrink-0 text-[12px] text-muted">{note}</span>}
    </li>
  )
}

const columns = ['path', 'size', 'lines', 'recalls', 'recalledAt', 'modifiedAt'] as const
type Column = (typeof columns)[number]

function Files({ files }: { files: readonly SurveyedFile[] }) {
  const { t } = useTranslation()
  const [by, setBy] = useState<Column>('size')
  const [limit, setLimit] = useState(page)
  const sorted = files.toSorted((one, other) =>
    by === 'path' ? one.path.localeCompare(other.path) : (other[by] ?? 0) - (one[by] ?? 0),
  )
  return (
    <div className="px-5">
      <table className="w-full text-left">
        <thead className="text-[12px] text-muted">
          <tr className="border-b border-line">
            {columns.map((column) => (
              <th
                key={column}
                aria-sort={by === column ? (column === 'path' ? 'ascending' : 'descending') : 'none'}
                className={`py-1 font-medium ${column === 'path' ? '' : 'text-right'}`}
              >
                <button type="button" onClick={() => setBy(column)} className="hover:text-text">
                  {t(`map.column.${column}`)}
                  {by === column && (column === 'path' ? ' ↑' : ' ↓')}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, limit).map(({ path, size, lines, recalls, recalledAt, modifiedAt, isInContext }) => (
            <tr key={path} data-testid="surveyed-file" className="border-b border-soft">
              <td className="max-w-0 truncate py-1 pr-4">
                <Link href={paths.file(path)} className="font-mono text-[12px] hover:underline">
                  {path}
                </Link>
                {isInContext && <span className="pl-3 text-[12px] text-muted">{t('map.inContext')}</span>}
              </td>
              <td className="tabular w-24 text-right">{formatBytes(size)}</td>
              <td className="tabular w-20 text-right">{formatNumber(lines)}</td>
              <td className="tabular w-24 text-right">{formatNumber(recalls)}</td>
              <td className="tabular w-36 text-right text-muted">
                {recalledAt === null ? '–' : formatMoment(recalledAt)}
              </td>
              <td className="tabular w-36 text-right text-muted">{formatMoment(modifiedAt)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > limit && (
        <Button look="link" className="mt-2" onClick={() => setLimit(limit + page)}>
          {t('history.more')}
        </Button>
      )}
    </div>
  )
}
