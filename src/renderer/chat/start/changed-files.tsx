/** Which files changed since yesterday, and by whom. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { api } from '#lib/api/client.ts'
import { useCauseName, Counts } from '#lib/diff-view/change-label.tsx'
import { paths } from '#lib/router/paths.ts'
import { startOfDay } from './start-day.ts'
import { Part, rowLook } from './start-section.tsx'

const most = 5
const looked = 200

export function ChangedFiles({ agent }: { agent: string }) {
  const { t } = useTranslation()
  const nameOf = useCauseName(agent)
  const [since] = useState(() => startOfDay(new Date(), 1))
  const { data = [] } = useQuery(api.history.timeline.queryOptions({ input: { agent, since, limit: looked } }))
  // What was there before the history began was changed by nobody.
  const changed = data.filter(({ cause }) => cause !== 'adopted')
  const files = [...Map.groupBy(changed, ({ now }) => now)]
  if (files.length === 0) return null
  return (
    <Part title={t('start.changed')}>
      {files.slice(0, most).map(([path, changes]) => (
        <Link key={path} href={changes[0]?.exists ? paths.file(path) : paths.changes()} className={rowLook}>
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
      <Link href={paths.changes()} className="inline-flex min-h-7 items-center text-accent hover:underline">
        {files.length > most ? t('start.moreFiles', { count: files.length - most }) : t('start.allChanges')}
      </Link>
    </Part>
  )
}
