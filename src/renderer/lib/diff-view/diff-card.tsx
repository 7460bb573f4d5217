import { t } from 'i18next'
import { Link } from 'wouter'
import type { FileChange } from '#shared/util/file-change.ts'
import { paths } from '../router/paths.ts'
import { Patch } from './patch.tsx'
import { RevertButtons } from './change-label.tsx'
import { useRevertStatus } from './use-revert-status.ts'

export function DiffCard({ agent, change }: { agent: string; change: FileChange }) {
  const { path, patch, startLine, added, removed } = change
  const revert = useRevertStatus(agent, change.change, path)
  return (
    <figure className="overflow-hidden rounded-md border border-line bg-paper" data-testid="diff-card">
      <figcaption className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3.5 py-2">
        <Link href={paths.file(path, startLine)} className="min-w-0 font-mono text-[12px] break-all hover:underline">
          {path}
        </Link>
        <span className="tabular flex gap-2 text-muted">
          {added > 0 && <span>{t('tool.linesAdded', { count: added })}</span>}
          {removed > 0 && <span>{t('tool.linesRemoved', { count: removed })}</span>}
        </span>
        <span className="flex-1" />
        {/* Kept together when they wrap below the path. */}
        <span className="flex items-center gap-3 whitespace-nowrap">
          {change.change !== undefined && <RevertButtons revert={revert} />}
          <Link href={paths.file(path, startLine)} className="text-muted hover:underline">
            {t('tool.open')}
          </Link>
        </span>
      </figcaption>
      <Patch patch={patch} isUndone={revert.overall === 'undone'} />
    </figure>
  )
}
