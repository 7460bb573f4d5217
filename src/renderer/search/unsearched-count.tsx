import { t } from 'i18next'
import { useQuery } from '@tanstack/react-query'
import { api } from '#lib/api/client.ts'
import { clipLine } from '#lib/util/clip.ts'
import { IndexAllButton } from '../editor/privacy/not-indexed.tsx'

const maxShown = 120

/** Tells which files and links of the workspace are not searched. */
export function UnsearchedCount({ agent }: { agent: string }) {
  return (
    <div className="px-5 py-3 text-[12px] text-muted empty:hidden">
      <UnsearchedFiles agent={agent} />
      <SkippedLinks agent={agent} />
    </div>
  )
}

function SkippedLinks({ agent }: { agent: string }) {
  const { data } = useQuery(api.workspace.links.queryOptions({ input: { agent }, refetchOnMount: 'always' }))
  if (data === undefined || data.count === 0) return null
  const { count, paths: shownPaths } = data
  const names = shownPaths.map((path) => clipLine(path, maxShown)).join(', ')
  return (
    <p data-testid="passed-links" className="wrap-anywhere">
      {t('unsearched.links', { count, names: count > shownPaths.length ? `${names} …` : names })}
    </p>
  )
}

function UnsearchedFiles({ agent }: { agent: string }) {
  const files = useQuery(api.workspace.list.queryOptions({ input: { agent } }))
  const reasons = (files.data ?? []).flatMap(({ unsearched }) => unsearched?.reason ?? [])
  if (reasons.length === 0) return null
  const countOf = (reason: string) => reasons.filter((other) => other === reason).length
  const parts = [
    countOf('scope') > 0 && t('unsearched.countScope', { count: countOf('scope') }),
    countOf('project') > 0 && t('unsearched.countProject', { count: countOf('project') }),
    countOf('unreadable') > 0 && t('unsearched.countUnreadable', { count: countOf('unreadable') }),
  ].filter((part) => part !== false)
  return (
    <div data-testid="unsearched-count" className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span>
        {t('unsearched.count', { count: reasons.length })} {parts.join(' · ')}
      </span>
      {countOf('scope') > 0 && <IndexAllButton agent={agent} />}
    </div>
  )
}
