/** What was noted today, the newest first. */
import { skipToken, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { withoutMarks } from '#shared/markdown/marks.ts'
import { api } from '#lib/api/client.ts'
import { paths } from '#lib/router/paths.ts'
import { clipLine } from '#lib/util/clip.ts'
import { useDailyPath } from '#lib/notes/use-vault-settings.ts'
import { dayOf, entriesOf } from './start-day.ts'
import { Part, rowLook } from './start-section.tsx'

const most = 5

export function TodaysLog({ agent }: { agent: string }) {
  const { t } = useTranslation()
  const [today] = useState(() => dayOf(new Date()))
  const path = useDailyPath(agent)(today)
  const files = useQuery(api.workspace.list.queryOptions({ input: { agent } }))
  const isThere = files.data?.some((file) => file.path === path) ?? false
  const log = useQuery(api.workspace.read.queryOptions({ input: isThere ? { agent, path } : skipToken }))
  const entries = useMemo(() => entriesOf(log.data?.text ?? ''), [log.data])
  return (
    <Part title={t('start.today')}>
      {entries.slice(0, most).map(({ time, text, line }) => (
        <Link key={line} href={paths.file(path, line)} className={rowLook}>
          {time !== '' && <span className="tabular shrink-0 text-[12px] text-muted">{time}</span>}
          <span className="min-w-0 truncate">{clipLine(withoutMarks(text), 200)}</span>
        </Link>
      ))}
      {files.data && !isThere && <p className="text-muted">{t('start.nothingToday')}</p>}
      {files.data && (
        <Link href={paths.file(path)} className="inline-flex min-h-7 items-center text-accent hover:underline">
          {t(isThere ? 'start.openLog' : 'start.beginLog')}
        </Link>
      )}
    </Part>
  )
}
