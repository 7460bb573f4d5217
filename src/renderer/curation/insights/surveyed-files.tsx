/** The files of a survey as a table, in the order of any of its columns. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { SurveyedFile } from '#shared/contract/index.ts'
import { formatBytes, formatMoment, formatNumber } from '#lib/i18n/format.ts'
import { Button } from '#lib/ui/button.tsx'
import { paths } from '#lib/router/paths.ts'
import { UnsearchedMark } from '../../editor/privacy/unsearched.tsx'

/** Rows that are shown at first, and more of them each time. */
const page = 100

const columns = ['path', 'size', 'lines', 'recalls', 'recalledAt', 'modifiedAt'] as const

type Column = (typeof columns)[number]

export function SurveyedFiles({ files }: { files: readonly SurveyedFile[] }) {
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
          {sorted
            .slice(0, limit)
            .map(({ path, size, lines, recalls, recalledAt, modifiedAt, isInContext, unsearched }) => (
              <tr key={path} data-testid="surveyed-file" className="border-b border-soft">
                <td className="max-w-0 truncate py-1 pr-4">
                  <Link href={paths.file(path)} className="font-mono text-[12px] hover:underline">
                    {path}
                  </Link>
                  {isInContext && <span className="pl-3 text-[12px] text-muted">{t('map.inContext')}</span>}
                  {unsearched && (
                    <span className="inline-flex items-center gap-1 pl-3 align-middle text-[12px] text-muted">
                      <UnsearchedMark unsearched={unsearched} />
                      <span aria-hidden>{t('unsearched.mark')}</span>
                    </span>
                  )}
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
