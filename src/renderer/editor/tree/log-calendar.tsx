import { CalendarCheck, ChevronLeft, ChevronRight } from 'lucide-react'
import { useState, type KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { FileEntry } from '#shared/contract/index.ts'
import { formatDay, formatNumber } from '#lib/i18n/format.ts'
import { isFileAt, paths } from '#lib/router/paths.ts'

interface LogCalendarProps {
  readonly logs: readonly FileEntry[]
  readonly current: string
  /** Returns the path of a date's log. Dates are `YYYY-MM-DD`. */
  readonly pathOf: (date: string) => string
}

export function LogCalendar({ logs, current, pathOf }: LogCalendarProps) {
  const { t, i18n } = useTranslation()
  const [today] = useState(() => new Date())
  const [shown, setShown] = useState({ year: today.getFullYear(), month: today.getMonth() })
  // Normalizes a month below 0 or above 11.
  const month = new Date(shown.year, shown.month, 1)
  const go = (year: number, index: number) => {
    const next = new Date(year, index, 1)
    setShown({ year: next.getFullYear(), month: next.getMonth() })
  }
  const byDate = Map.groupBy(logs, ({ date }) => date ?? '')
  const isNow = shown.year === today.getFullYear() && shown.month === today.getMonth()
  const days = daysOf(month)
  const todaysDate = isoDate(today, today.getDate())
  const first = isNow ? todaysDate : isoDate(month, 1)
  return (
    <div role="group" aria-label={t('nav.logs')}>
      <div className="flex items-center gap-0.5 pr-1 pb-1 pl-1">
        <select
          aria-label={t('nav.month')}
          value={shown.month}
          onChange={(event) => go(shown.year, Number(event.target.value))}
          className={jumpLook}
        >
          {Array.from({ length: 12 }, (_, index) => (
            <option key={index} value={index}>
              {new Intl.DateTimeFormat(i18n.language, { month: 'long' }).format(new Date(2026, index, 15))}
            </option>
          ))}
        </select>
        <select
          aria-label={t('nav.year')}
          value={shown.year}
          onChange={(event) => go(Number(event.target.value), shown.month)}
          className={jumpLook}
        >
          {yearsOf(byDate.keys(), shown.year, today.getFullYear()).map((year) => (
            <option key={year} value={year}>
              {year}
            </option>
          ))}
        </select>
        <span className="flex-1" />
        {!isNow && (
          <MonthButton label={t('nav.thisMonth')} onClick={() => go(today.getFullYear(), today.getMonth())}>
            <CalendarCheck size={12} />
          </MonthButton>
        )}
        <MonthButton label={t('nav.previousMonth')} onClick={() => go(shown.year, shown.month - 1)}>
          <ChevronLeft size={12} />
        </MonthButton>
        <MonthButton label={t('nav.nextMonth')} onClick={() => go(shown.year, shown.month + 1)}>
          <ChevronRight size={12} />
        </MonthButton>
      </div>
      <div className="grid grid-cols-7 text-center text-[11px]" onKeyDown={moveAmongDays}>
        {weekdays(i18n.language).map((name, index) => (
          <span key={index} aria-hidden className="py-0.5 text-muted">
            {name}
          </span>
        ))}
        {days.map((day, index) => {
          if (day === null) return <span key={`gap${index}`} />
          const date = isoDate(month, day)
          return (
            <Day
              key={date}
              date={date}
              day={day}
              logs={byDate.get(date) ?? []}
              newPath={pathOf(date)}
              isToday={date === todaysDate}
              isFirst={date === first}
              current={current}
            />
          )
        })}
      </div>
    </div>
  )
}

const jumpLook =
  'min-h-6 cursor-pointer appearance-none rounded-sm bg-transparent px-1 text-[11px] font-medium tracking-wide text-muted hover:bg-soft hover:text-text'

/** Roving focus: Tab reaches one day, the arrow keys the others. */
function moveAmongDays(event: KeyboardEvent<HTMLElement>): void {
  const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }
  const step = steps[event.key]
  if (step === undefined) return
  const days = [...event.currentTarget.querySelectorAll<HTMLElement>('a')]
  const at = days.findIndex((day) => day === document.activeElement)
  if (at < 0) return
  event.preventDefault()
  days[at + step]?.focus()
}

function yearsOf(dates: Iterable<string>, shown: number, now: number): number[] {
  const written = [...dates].map((date) => Number(date.slice(0, 4))).filter((year) => year > 0)
  const first = written.reduce((least, year) => Math.min(least, year), Math.min(shown, now - 5))
  const last = written.reduce((most, year) => Math.max(most, year), Math.max(shown, now))
  return Array.from({ length: last - first + 1 }, (_, index) => last - index)
}

interface DayProps {
  readonly date: string
  readonly day: number
  readonly logs: readonly FileEntry[]
  readonly newPath: string
  readonly isToday: boolean
  readonly isFirst: boolean
  readonly current: string
}

function Day({ date, day, logs, newPath, isToday, isFirst, current }: DayProps) {
  const { t } = useTranslation()
  const words = logs.reduce((sum, log) => sum + log.words, 0)
  const path = logs[0]?.path ?? newPath
  const isWritten = logs.length > 0
  const size = 2.5 + Math.min(3, Math.log10(1 + words) * 1.2)
  return (
    <Link
      href={paths.file(path)}
      tabIndex={isFirst ? 0 : -1}
      aria-label={
        isWritten
          ? t('nav.openLog', { date: formatDay(date), words: formatNumber(words) })
          : t('nav.emptyDay', { date: formatDay(date) })
      }
      aria-current={isFileAt(current, path) ? 'page' : undefined}
      className={`tabular flex h-[25px] flex-col items-center justify-center rounded-sm hover:bg-soft aria-[current=page]:bg-selected ${isToday ? 'bg-selected font-semibold' : ''} ${isWritten ? '' : 'text-muted'}`}
    >
      {day}
      {isWritten && <span aria-hidden className="rounded-full bg-accent" style={{ width: size, height: size }} />}
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

/** Returns the days of a month with nulls before the first; weeks begin on Monday. */
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
