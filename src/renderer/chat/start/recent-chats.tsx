/** The conversations that were last at work. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { api } from '#lib/api/client.ts'
import { formatMoment } from '#lib/i18n/format.ts'
import { paths } from '#lib/router/paths.ts'
import { clipLine } from '#lib/util/clip.ts'
import { Part, rowLook } from './start-section.tsx'

const most = 5

export function RecentChats({ agent }: { agent: string }) {
  const { t } = useTranslation()
  const { data = [] } = useQuery(api.sessions.list.queryOptions({ input: { agent } }))
  const recent = data.toSorted((one, other) => other.updatedAt - one.updatedAt).slice(0, most)
  if (recent.length === 0) return null
  return (
    <Part title={t('start.chats')}>
      {recent.map(({ id, title, updatedAt }) => (
        <Link key={id} href={paths.chat(id)} className={rowLook}>
          <span className="min-w-0 flex-1 truncate">{clipLine(title) || t('nav.untitled')}</span>
          <span className="tabular shrink-0 text-[12px] text-muted">{formatMoment(updatedAt)}</span>
        </Link>
      ))}
    </Part>
  )
}
