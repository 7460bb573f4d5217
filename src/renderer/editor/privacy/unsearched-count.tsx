import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api } from '#lib/api/client.ts'
import { clipLine } from '#lib/util/clip.ts'
import { SearchAll } from './unsearched.tsx'

/** Of a path. */
const maxShown = 120

export function UnsearchedCount({ agent }: { agent: string }) {
  return (
    <div className="px-5 py-3 text-[12px] text-muted empty:hidden">
      <Files agent={agent} />
      <PassedLinks agent={agent} />
    </div>
  )
}

function PassedLinks({ agent }: { agent: string }) {
  const { t } = useTranslation()
  const { data } = useQuery(api.workspace.links.queryOptions({ input: { agent }, refetchOnMount: 'always' }))
  if (data === undefined || data.count === 0) return null
  const { count, paths: shown } = data
  const names = shown.map((path) => clipLine(path, maxShown)).join(', ')
  return (
    <p data-testid="passed-links" className="wrap-anywhere">
      {t('unsearched.links', { count, names: count > shown.length ? `${names} …` : names })}
    </p>
  )
}

function Files({ agent }: { agent: string }) {
  const { t } = useTranslation()
  const files = useQuery(api.workspace.list.queryOptions({ input: { agent } }))
  const reasons = (files.data ?? []).flatMap(({ unsearched }) => unsearched?.reason ?? [])
  if (reasons.length === 0) return null
  const of = (reason: string) => reasons.filter((one) => one === reason).length
  const parts = [
    of('scope') > 0 && t('unsearched.countScope', { count: of('scope') }),
    of('project') > 0 && t('unsearched.countProject', { count: of('project') }),
    of('unreadable') > 0 && t('unsearched.countUnreadable', { count: of('unreadable') }),
  ].filter((part) => part !== false)
  return (
    <div data-testid="unsearched-count" className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span>
        {t('unsearched.count', { count: reasons.length })} {parts.join(' · ')}
      </span>
      {of('scope') > 0 && <SearchAll agent={agent} />}
    </div>
  )
}
