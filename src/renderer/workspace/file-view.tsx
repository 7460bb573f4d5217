/** A file of the workspace: in the editor, or to be read only; one that is not there can be made. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Agent } from '../../shared/contract/index.ts'
import { api } from '../api/index.ts'
import { ErrorState, isErrorOf } from '../feedback/index.ts'
import { Button } from '../ui/button.tsx'
import { clipLine } from '../ui/clip.ts'
import { LongText } from '../ui/long-text.tsx'
import { lineOfHash, useHash } from '../navigate.ts'
import { EmptyState, Skeleton } from '../ui/states.tsx'
import { ViewHeader } from '../ui/view-header.tsx'
import type { DiskFile } from './open-file.ts'
import { OpenFile } from './edited-file.tsx'

export function FileView({ agent, path }: { agent: Agent; path: string }) {
  const { t } = useTranslation()
  const file = useQuery(api.workspace.read.queryOptions({ input: { agent: agent.id, path } }))
  const settings = useQuery(api.settings.get.queryOptions())
  const [isNew, setIsNew] = useState(false)
  const autosave = settings.data?.appearance.autosave ?? 'leave'
  if (file.data?.readOnly) return <ReadOnlyFile path={path} text={file.data.text} />
  if (file.data) return <OpenFile agent={agent} path={path} disk={file.data} autosave={autosave} />
  if (isNew) return <OpenFile agent={agent} path={path} disk={nothing} autosave={autosave} />
  return (
    <section className="flex min-w-0 flex-1 flex-col">
      <ViewHeader title={<span className="font-mono text-[13px]">{clipLine(path)}</span>} />
      {isErrorOf(file.error, 'file_not_found') ? (
        <EmptyState title={t('file.notFound', { path })}>
          <Button onClick={() => setIsNew(true)}>{t('file.create')}</Button>
        </EmptyState>
      ) : file.error ? (
        <ErrorState error={file.error} onRetry={() => void file.refetch()} />
      ) : (
        <Skeleton lines={12} />
      )}
    </section>
  )
}

/** A file of an extra folder, or of another agent that shares its memory. */
function ReadOnlyFile({ path, text }: { path: string; text: string }) {
  const { t } = useTranslation()
  const line = lineOfHash(useHash())
  const owner = /^@([^/]+)\//.exec(path)?.[1]
  return (
    <section aria-label={path} className="flex min-w-0 flex-1 flex-col">
      <ViewHeader
        title={<span className="font-mono text-[13px]">{clipLine(path)}</span>}
        aside={owner === undefined ? t('file.readOnly') : t('file.shared', { agent: owner })}
      />
      <LongText text={text} label={path} line={line} />
    </section>
  )
}

const nothing: DiskFile = { text: '', hash: null }
