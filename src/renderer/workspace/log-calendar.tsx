/** A month of daily logs; the size of a day's dot says how much was written. */
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { FileEntry } from '../../shared/contract/index.ts'
import { formatDay, formatNumber } from '../i18n/format.ts'
import { isFileAt, paths } from '../navigate.ts'

export function LogCalendar({ logs, current }: { logs: readonly FileEntry[]; current: string }) {
  const { t, i18n } = useTranslation()
  const [offset, setOffset] = useState(0)
  const [today] = useState(() => new Date())
  const month = new Date(today.getFullYear(), today.getMonth() + offset, 1)
  const byDate = Map.groupBy(logs, ({ date }) => date ?? '')
  const title = new Intl.DateTimeFormat(i18n.language, { month: 'long', year: 'numeric' }).format(month)
  return (
    <div className="pt-4">
      <div className="flex items-center px-2 pb-1">
        <h3 className="flex-1 text-[11px] font-medium tracking-wide text-muted uppercase">{title}</h3>
        <MonthButton label={t('nav.previousMonth')} onClick={() => setOffset(offset - 1)}>
          <ChevronLeft size={12} />
        </MonthButton>
        <MonthButton label={t('nav.nextMonth')} onClick={() => setOffset(offset + 1)}>
          <ChevronRight size={12} />
        </MonthButton>
      </div>
      <div className="grid grid-cols-7 text-center text-[11px]">
        {weekdays(i18n.language).map((name, index) => (
          <span key={index} aria-hidden className="py-1 text-faint">
            {name}
          </span>
        ))}
        {daysOf(month).map((day, index) => {
          if (day === null) return <span key={`gap${index}`} />
          const date = isoDate(month, day)
          return (
            <Day
              key={date}
              date={date}
              day={day}
              logs={byDate.get(date) ?? []}
              isToday={date === isoDate(today, today.getDate())}
              current={current}
            />
          )
        })}
      </div>
    </div>
  )
}

function Day({
  date,
  day,
  logs,
  isToday,
  current,
}: {
  date: string
  day: number
  logs: readonly FileEntry[]
  isToday: boolean
  current: string
}) {
  const { t } = useTranslation()
  const words = logs.reduce((sum, log) => sum + log.words, 0)
  const first = logs[0]
  const look = `flex h-[27px] flex-col items-center justify-center rounded-sm tabular ${isToday ? 'bg-selected font-semibold' : ''}`
  if (!first) return <span className={`${look} text-muted`}>{day}</span>
  const size = 2.5 + Math.min(3, Math.log10(1 + words) * 1.2)
  return (
    <Link
      href={paths.file(first.path)}
      aria-label={t('nav.openLog', { date: formatDay(date), words: formatNumber(words) })}
      aria-current={isFileAt(current, first.path) ? 'page' : undefined}
      className={`${look} hover:bg-soft aria-[current=page]:bg-selected`}
    >
      {day}
      <span aria-hidden className="rounded-full bg-accent" style={{ width: size, height: size }} />
    </Link>
  )
}

function MonthButton({ label, onClick, children }: { label: string; onClick: () => void; children: React.ReactNode }) {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onClick}
      className="flex size-6 items-center justify-center rounded-sm text-muted hover:bg-soft"
    >
      {children}
    </button>
  )
}

/** Days of the month with gaps before the first, weeks beginning on Monday. */
function daysOf(month: Date): (number | null)[] {
  const lead = (month.getDay() + 6) % 7
  const count = new Date(month.getFullYear(), month.getMonth() + 1, 0).getDate()
  return [...Array.from({ length: lead }, () => null), ...Array.from({ length: count }, (_, index) => index + 1)]
}

function weekdays(language: string): string[] {
  const format = new Intl.DateTimeFormat(language, { weekday: 'narrow' })
  return Array.from({ length: 7 }, (_, index) => format.format(new Date(2026, 0, 5 + index)))
}

function isoDate(month: Date, day: number): string {
  return `${month.getFullYear()}-${String(month.getMonth() + 1).padStart(2, '0')}-${String(day).padStart(2, '0')}`
}
