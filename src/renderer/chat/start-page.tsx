import { t } from 'i18next'
import { useQuery, skipToken } from '@tanstack/react-query'
import { useState, useMemo, type ReactNode } from 'react'
import { Link } from 'wouter'
import { CircleHelp } from 'lucide-react'
import type { Agent } from '#shared/contract/index.ts'
import { Button, TextLink } from '#lib/ui/controls.tsx'
import { ErrorBoundary } from '#lib/ui/states.tsx'
import { api } from '#lib/api/client.ts'
import { useCauseName, Counts } from '#lib/diff-view/diff-card.tsx'
import { paths } from '#lib/router/paths.ts'
import { formatMoment, isoDate, startOfDay } from '#lib/i18n/format.ts'
import { clipLine } from '#lib/util/clip.ts'
import { withoutMarks } from '#shared/markdown/marks.ts'
import { useDailyPath } from '#lib/notes/use-vault-settings.ts'
import { logEntries } from './log-entries.ts'

interface StartPageProps {
  readonly agent: Agent
  /** Puts a text into the composer without sending it. */
  readonly onPropose: (text: string) => void
}

export function StartPage({ agent, onPropose }: StartPageProps) {
  return (
    <div
      className="mx-auto flex w-full max-w-[740px] flex-col gap-7 px-8 py-8 max-sm:px-4 max-sm:py-5"
      data-testid="start"
    >
      <header className="flex flex-col gap-2">
        <h2 className="text-[17px] font-semibold">{t('chat.empty')}</h2>
        <p className="text-muted">{t('chat.emptyHint', { workspace: agent.workspace })}</p>
        <p className="flex flex-wrap gap-2 pt-1">
          {([t('chat.sample1'), t('chat.sample2'), t('chat.sample3')] as const).map((sample) => (
            <Button key={sample} onClick={() => onPropose(sample.replace(/…$/, ''))}>
              {sample}
            </Button>
          ))}
        </p>
      </header>
      <div className="grid gap-x-10 gap-y-7 sm:grid-cols-2">
        {[TodaysLog, ChangedFiles, PendingDecisions, RecentChats].map((Part, index) => (
          <ErrorBoundary key={index} piece="part">
            <Part agent={agent.id} />
          </ErrorBoundary>
        ))}
      </div>
    </div>
  )
}

const maxFiles = 5
const maxChanges = 200

function ChangedFiles({ agent }: { agent: string }) {
  const nameOf = useCauseName(agent)
  const [since] = useState(() => startOfDay(1))
  const { data = [] } = useQuery(api.history.timeline.queryOptions({ input: { agent, since, limit: maxChanges } }))
  // Files from before the history began have no change to show.
  const recorded = data.filter(({ cause }) => cause !== 'adopted')
  const files = [...Map.groupBy(recorded, ({ now }) => now)]
  if (files.length === 0) return null
  return (
    <Section title={t('start.changed')}>
      {files.slice(0, maxFiles).map(([path, changes]) => (
        <Link key={path} href={changes[0]?.exists ? paths.file(path) : paths.changes()} className={rowClass}>
          <span className={`min-w-0 truncate font-mono text-[12px] ${changes[0]?.exists ? '' : 'line-through'}`}>
            {path}
          </span>
          <span className="min-w-0 flex-1 truncate text-[12px] text-muted">
            {[...new Set(changes.map(nameOf))].join(' · ')}
          </span>
          <Counts
            change={{
              added: changes.reduce((sum, { added }) => sum + added, 0),
              removed: changes.reduce((sum, { removed }) => sum + removed, 0),
            }}
          />
        </Link>
      ))}
      <TextLink href={paths.changes()} className="inline-flex min-h-7 items-center">
        {files.length > maxFiles ? t('start.moreFiles', { count: files.length - maxFiles }) : t('start.allChanges')}
      </TextLink>
    </Section>
  )
}

const decisionDays = 6
const maxAgentChanges = 200

function PendingDecisions({ agent }: { agent: string }) {
  const [since] = useState(() => startOfDay(decisionDays))
  const changes = useQuery(
    api.history.timeline.queryOptions({ input: { agent, since, causes: ['agent', 'flush'], limit: maxAgentChanges } }),
  )
  const checks = useQuery(api.checks.list.queryOptions({ input: { agent } }))
  const problems = useQuery(api.health.problems.queryOptions({ input: { agent } }))
  const unacceptedCount = changes.data?.filter(({ reviewed }) => !reviewed).length ?? 0
  const failedCount = checks.data?.checks.filter(({ outcome }) => outcome !== null && outcome.rank === null).length ?? 0
  const problemCount = problems.data?.filter(({ level }) => level !== 'note').length ?? 0
  const rows = [
    { count: unacceptedCount, href: paths.changes(), text: t('start.unseen', { count: unacceptedCount }) },
    { count: failedCount, href: paths.checks(), text: t('start.failing', { count: failedCount }) },
    { count: problemCount, href: paths.settings('health'), text: t('status.problems', { count: problemCount }) },
  ].filter(({ count }) => count > 0)
  if (rows.length === 0) return null
  return (
    <Section title={t('start.decisions')}>
      {rows.map(({ href, text }) => (
        <Link key={href} href={href} className={rowClass}>
          <CircleHelp size={13} aria-hidden className="shrink-0 self-center text-muted" />
          <span className="min-w-0 truncate">{text}</span>
        </Link>
      ))}
    </Section>
  )
}

const maxChats = 5

function RecentChats({ agent }: { agent: string }) {
  const { data = [] } = useQuery(api.sessions.list.queryOptions({ input: { agent } }))
  const recent = data.toSorted((a, b) => b.updatedAt - a.updatedAt).slice(0, maxChats)
  if (recent.length === 0) return null
  return (
    <Section title={t('start.chats')}>
      {recent.map(({ id, title, updatedAt }) => (
        <Link key={id} href={paths.chat(id)} className={rowClass}>
          <span className="min-w-0 flex-1 truncate">{clipLine(title) || t('nav.untitled')}</span>
          <span className="tabular shrink-0 text-[12px] text-muted">{formatMoment(updatedAt)}</span>
        </Link>
      ))}
    </Section>
  )
}

const maxEntries = 5

function TodaysLog({ agent }: { agent: string }) {
  const [today] = useState(() => isoDate(new Date()))
  const path = useDailyPath(agent)(today)
  const files = useQuery(api.workspace.list.queryOptions({ input: { agent } }))
  const hasLog = files.data?.some((file) => file.path === path) ?? false
  const log = useQuery(api.workspace.read.queryOptions({ input: hasLog ? { agent, path } : skipToken }))
  const entries = useMemo(() => logEntries(log.data?.text ?? ''), [log.data])
  return (
    <Section title={t('start.today')}>
      {entries.slice(0, maxEntries).map(({ time, text, line }) => (
        <Link key={line} href={paths.file(path, line)} className={rowClass}>
          {time !== '' && <span className="tabular shrink-0 text-[12px] text-muted">{time}</span>}
          <span className="min-w-0 truncate">{clipLine(withoutMarks(text), 200)}</span>
        </Link>
      ))}
      {files.data && !hasLog && <p className="text-muted">{t('start.nothingToday')}</p>}
      {files.data && (
        <TextLink href={paths.file(path)} className="inline-flex min-h-7 items-center">
          {t(hasLog ? 'start.openLog' : 'start.beginLog')}
        </TextLink>
      )}
    </Section>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="min-w-0">
      <h3 className="pb-1.5 text-[11px] font-medium tracking-wide text-muted uppercase">{title}</h3>
      {children}
    </section>
  )
}

const rowClass = 'flex min-h-7 min-w-0 items-baseline gap-2 rounded-sm px-1.5 py-0.5 -mx-1.5 hover:bg-soft'
