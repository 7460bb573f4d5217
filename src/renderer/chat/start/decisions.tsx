/** What waits for a word of the user: changes of the agent that nobody has looked at, checks that fail, what does not work. */
import { useQuery } from '@tanstack/react-query'
import { CircleHelp } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { api } from '#lib/api/client.ts'
import { paths } from '#lib/router/paths.ts'
import { startOfDay } from './start-day.ts'
import { Part, rowLook } from './start-section.tsx'

const days = 6
const looked = 200

export function Decisions({ agent }: { agent: string }) {
  const { t } = useTranslation()
  const [since] = useState(() => startOfDay(new Date(), days))
  const changes = useQuery(
    api.history.timeline.queryOptions({ input: { agent, since, causes: ['agent', 'flush'], limit: looked } }),
  )
  const accepted = useQuery(api.history.accepted.queryOptions({ input: { agent } }))
  const checks = useQuery(api.checks.list.queryOptions({ input: { agent } }))
  const problems = useQuery(api.health.problems.queryOptions({ input: { agent } }))
  const seen = new Set(accepted.data?.map(({ commit }) => commit))
  const unseen = changes.data?.filter(({ commit }) => !seen.has(commit)).length ?? 0
  const failing = checks.data?.checks.filter(({ outcome }) => outcome !== null && outcome.rank === null).length ?? 0
  const broken = problems.data?.filter(({ level }) => level !== 'note').length ?? 0
  const rows = [
    { count: unseen, href: paths.changes(), text: t('start.unseen', { count: unseen }) },
    { count: failing, href: paths.checks(), text: t('start.failing', { count: failing }) },
    { count: broken, href: paths.settings('health'), text: t('status.problems', { count: broken }) },
  ].filter(({ count }) => count > 0)
  if (rows.length === 0) return null
  return (
    <Part title={t('start.decisions')}>
      {rows.map(({ href, text }) => (
        <Link key={href} href={href} className={rowLook}>
          <CircleHelp size={13} aria-hidden className="shrink-0 self-center text-muted" />
          <span className="min-w-0 truncate">{text}</span>
        </Link>
      ))}
    </Part>
  )
}
