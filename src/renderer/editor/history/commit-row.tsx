import { useQuery } from '@tanstack/react-query'
import { GitCommitHorizontal } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { FileCommit } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { explainError } from '#lib/feedback/explain.ts'
import { formatMoment } from '#lib/i18n/format.ts'
import { clipLine } from '#lib/util/clip.ts'
import { Skeleton } from '#lib/ui/states.tsx'
import { Counts } from '#lib/diff-view/change-label.tsx'
import { Patch } from '#lib/diff-view/patch.tsx'

interface CommitRowProps {
  readonly agent: string
  /** What the file is called now. */
  readonly path: string
  readonly commit: FileCommit
  readonly isSelected: boolean
  readonly onSelect: () => void
}

export function CommitRow({ agent, path, commit, isSelected, onSelect }: CommitRowProps) {
  const { t } = useTranslation()
  const { author, at, subject, from } = commit
  return (
    <div className={`rounded-sm ${isSelected ? 'bg-selected' : ''}`} data-testid="history-commit">
      <button
        type="button"
        aria-expanded={isSelected}
        onClick={onSelect}
        className="flex min-h-8 w-full items-center gap-2 rounded-sm px-2 text-left hover:bg-soft"
      >
        <GitCommitHorizontal size={14} className="shrink-0 text-muted" aria-hidden="true" />
        <span className="max-w-36 truncate font-medium" title={t('history.commitBy', { author })}>
          {author}
        </span>
        <span className="sr-only">{t('history.commit')}</span>
        <span className="min-w-0 flex-1 truncate text-[12px] text-muted">{formatMoment(at)}</span>
        <Counts change={commit} />
      </button>
      <p className="truncate px-2 pb-1 text-[12px] text-muted" title={subject}>
        {clipLine(subject, 200)}
      </p>
      {from !== undefined && (
        <p className="truncate px-2 pb-1 font-mono text-[11px] text-muted">{t('history.movedFrom', { path: from })}</p>
      )}
      {isSelected && <CommitDetails agent={agent} path={path} commit={commit.commit} />}
    </div>
  )
}

function CommitDetails({ agent, path, commit }: { agent: string; path: string; commit: string }) {
  const { t } = useTranslation()
  const diff = useQuery(api.history.commitDiff.queryOptions({ input: { agent, path, commit } }))
  return (
    <div className="flex flex-col gap-1 px-2 pb-2">
      <p className="font-mono text-[11px] text-muted">
        {t('history.commit')} {commit.slice(0, 10)}
      </p>
      {diff.isPending && <Skeleton lines={3} />}
      {diff.error && <p className="text-muted">{explainError(diff.error)}</p>}
      {diff.data && (
        <div className="overflow-hidden rounded-sm border border-line bg-raised">
          <Patch patch={diff.data.patch} isSmall />
        </div>
      )}
    </div>
  )
}
