import { CalendarCheck, ChevronLeft, ChevronRight } from 'lucide-react'
import { useState, type KeyboardEvent } from 'react'
import i18next, { t } from 'i18next'
import { Link } from 'wouter'
import { useQuery } from '@tanstack/react-query'
import { useAgent } from '#lib/agents/current-agent.ts'
import { api } from '#lib/api/client.ts'
import { useDailyPath } from '#lib/notes/use-vault-settings.ts'
import { formatDate, formatMonth, formatNumber, isoDate } from '#lib/i18n/format.ts'
import { IconButton } from '#lib/ui/elements.tsx'
import { fileAt, paths, useEncodedPath } from '#lib/router/paths.ts'

export function LogCalendar() {
  const { id: agent } = useAgent()
  const current = fileAt(useEncodedPath())
  const pathOf = useDailyPath(agent)
  const { data: files = [] } = useQuery(api.workspace.list.queryOptions({ input: { agent } }))
  const logs = files.filter(({ kind }) => kind === 'log')
  const [today] = useState(() => new Date())
  const thisMonth = new Date(today.getFullYear(), today.getMonth())
  const [month, setMonth] = useState(thisMonth)
  const [year, monthIndex] = [month.getFullYear(), month.getMonth()]
  const lastDay = new Date(year, monthIndex + 1, 0).getDate()
  // The log comes before the summaries of the day's chats, which have longer names.
  const sorted = logs.toSorted((one, other) => one.path.length - other.path.length)
  const logsByDate = Map.groupBy(sorted, ({ date }) => date ?? '')
  const isCurrentMonth = month.getTime() === thisMonth.getTime()
  const weekday = new Intl.DateTimeFormat(i18next.language, { weekday: 'narrow' })
  const todaysDate = isoDate(today)
  const shownDate = logs.find(({ path }) => current === path)?.date ?? todaysDate
  const summaries = (logsByDate.get(shownDate) ?? []).filter(({ path }) => path !== pathOf(shownDate))
  const tabStopDate = isCurrentMonth ? todaysDate : isoDate(month)
  return (
    <div role="group" aria-label={t('nav.logs')}>
      <div className="flex items-center gap-0.5 pr-1 pb-1 pl-1">
        <select
          aria-label={t('nav.month')}
          value={isoDate(month)}
          onChange={({ target }) => setMonth(new Date(`${target.value}T00:00`))}
          className="min-h-6 cursor-pointer appearance-none rounded-sm bg-transparent px-1 text-[11px] font-medium tracking-wide text-muted hover:bg-soft hover:text-text"
        >
          {monthsOf(logsByDate.keys(), year, today.getFullYear()).map((option) => (
            <option key={isoDate(option)} value={isoDate(option)}>
              {formatMonth(isoDate(option).slice(0, 7))}
            </option>
          ))}
        </select>
        <span className="flex-1" />
        {[
          ...(isCurrentMonth ? [] : [{ icon: CalendarCheck, label: t('nav.thisMonth'), target: thisMonth }]),
          { icon: ChevronLeft, label: t('nav.previousMonth'), target: new Date(year, monthIndex - 1) },
          { icon: ChevronRight, label: t('nav.nextMonth'), target: new Date(year, monthIndex + 1) },
        ].map(({ target, ...button }) => (
          <IconButton key={button.label} {...button} size={12} className="size-6!" onClick={() => setMonth(target)} />
        ))}
      </div>
      <div className="grid grid-cols-7 text-center text-[11px]" onKeyDown={moveDayFocus}>
        {/* 1 January 2024 is a Monday. */}
        {Array.from({ length: 7 }, (_, index) => (
          <span key={index} aria-hidden className="py-0.5 text-muted">
            {weekday.format(new Date(2024, 0, index + 1))}
          </span>
        ))}
        {Array.from({ length: lastDay }, (_, index) => {
          const date = isoDate(new Date(year, monthIndex, index + 1))
          const logsOfDay = logsByDate.get(date) ?? []
          const path = logsOfDay[0]?.path ?? pathOf(date)
          const words = logsOfDay.reduce((sum, log) => sum + log.words, 0)
          const dotSize = 2.5 + Math.min(3, Math.log10(1 + words) * 1.2)
          const day = { date: formatDate(date), words: formatNumber(words) }
          const hasLog = logsOfDay.length > 0
          return (
            <Link
              key={date}
              href={paths.file(path)}
              tabIndex={date === tabStopDate ? 0 : -1}
              aria-label={t(hasLog ? 'nav.openLog' : 'nav.emptyDay', day)}
              aria-current={current === path ? 'page' : undefined}
              // A week begins on Monday.
              style={index === 0 ? { gridColumnStart: ((month.getDay() + 6) % 7) + 1 } : undefined}
              className={`tabular flex h-[25px] flex-col items-center justify-center rounded-sm hover:bg-soft aria-[current=page]:bg-selected ${date === todaysDate ? 'bg-selected font-semibold' : ''} ${hasLog ? '' : 'text-muted'}`}
            >
              {index + 1}
              {hasLog && (
                <span aria-hidden className="rounded-full bg-accent" style={{ width: dotSize, height: dotSize }} />
              )}
            </Link>
          )
        })}
      </div>
      {summaries.length > 0 && (
        <ul aria-label={t('nav.chatsOfDay', { date: formatDate(shownDate) })} className="max-h-24 overflow-auto pt-1">
          {summaries.map(({ path }) => (
            <li key={path}>
              <Link
                href={paths.file(path)}
                aria-current={current === path ? 'page' : undefined}
                className="block truncate rounded-sm px-2 py-0.5 text-[12px] text-muted hover:bg-soft hover:text-text aria-[current=page]:bg-selected"
              >
                {topicOf(path)}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function topicOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return name.replaceAll(/^[\d-]{10}-|(?:\.md){1,2}$/g, '').replaceAll('-', ' ')
}

/** Moves the focus with the arrow keys. Tab reaches only one day. */
function moveDayFocus(event: KeyboardEvent<HTMLElement>): void {
  const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }
  const step = steps[event.key]
  if (step === undefined) return
  const days = [...event.currentTarget.querySelectorAll<HTMLElement>('a')]
  const index = days.findIndex((day) => day === document.activeElement)
  if (index < 0) return
  event.preventDefault()
  days[index + step]?.focus()
}

/** Returns the first days of the months from five years ago, or the first date, to this year or the shown one. */
function monthsOf(dates: Iterable<string>, shownYear: number, currentYear: number): Date[] {
  const years = [...dates].map((date) => Number(date.slice(0, 4))).filter((year) => year > 0)
  const first = Math.min(shownYear, currentYear - 5, ...years)
  const count = 12 * (Math.max(shownYear, currentYear, ...years) - first + 1)
  return Array.from({ length: count }, (_, index) => new Date(first, count - 1 - index))
}
