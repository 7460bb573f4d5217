import { useTranslation } from 'react-i18next'
import type { CheckRun } from '#shared/contract/index.ts'
import { formatMoment, formatPercent } from '#lib/i18n/format.ts'

const maxRuns = 60
const width = 360
const height = 56

export function PassChart({ runs }: { runs: readonly CheckRun[] }) {
  const { t } = useTranslation()
  const shown = runs.slice(-maxRuns)
  const points = shown.map((run, index) => ({
    run,
    x: shown.length === 1 ? width / 2 : 4 + (index / (shown.length - 1)) * (width - 8),
    y: height - 4 - shareOf(run) * (height - 8),
  }))
  const last = shown.at(-1)
  if (!last) return null
  return (
    <figure className="min-w-0 shrink-0">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={t('checks.chart', { count: shown.length, share: formatPercent(shareOf(last)) })}
        className="h-14 w-[360px] max-w-full"
      >
        {[0, 0.5, 1].map((share) => {
          const y = height - 4 - share * (height - 8)
          return <line key={share} x1={0} x2={width} y1={y} y2={y} className="stroke-line" strokeWidth={1} />
        })}
        <polyline
          points={points.map(({ x, y }) => `${x},${y}`).join(' ')}
          className="fill-none stroke-accent"
          strokeWidth={1.5}
          strokeLinejoin="round"
        />
        {points.map(({ run, x, y }) => (
          <circle key={run.at} cx={x} cy={y} r={2.5} className={shareOf(run) === 1 ? 'fill-good' : 'fill-warning'}>
            <title>{`${formatMoment(run.at)}: ${run.passed}/${run.total}`}</title>
          </circle>
        ))}
      </svg>
      <details className="text-[12px]">
        <summary className="cursor-pointer text-muted">{t('common.asTable')}</summary>
        <table className="mt-1 text-left">
          <thead className="text-muted">
            <tr>
              <th className="pr-6 font-medium">{t('checks.when')}</th>
              <th className="pr-6 font-medium">{t('checks.cause')}</th>
              <th className="font-medium">{t('checks.passed')}</th>
            </tr>
          </thead>
          <tbody>
            {shown.toReversed().map(({ at, cause, passed, total }) => (
              <tr key={at}>
                <td className="pr-6">{formatMoment(at)}</td>
                <td className="pr-6">{t(`checks.causes.${cause}`)}</td>
                <td className="tabular">
                  {passed}/{total}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}

function shareOf({ passed, total }: CheckRun): number {
  return total === 0 ? 1 : passed / total
}
