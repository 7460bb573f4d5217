/** What the agent wrote, with a way back. */
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { FileChange } from '../../shared/messages.ts'
import { Button } from '../ui/button.tsx'
import { paths } from '../navigate.ts'
import { Patch } from './patch.tsx'
import { useUndo } from './use-undo.ts'

export function DiffCard({ agent, change }: { agent: string; change: FileChange }) {
  const { t } = useTranslation()
  const undo = useUndo()
  const { path, patch, startLine, added, removed } = change
  return (
    <figure className="overflow-hidden rounded-md border border-line bg-paper" data-testid="diff-card">
      <figcaption className="flex items-center gap-3 border-b border-line px-3.5 py-2">
        <Link href={paths.file(path, startLine)} className="font-mono text-[12px] hover:underline">
          {path}
        </Link>
        <span className="tabular flex gap-2 text-muted">
          {added > 0 && <span>{t('tool.linesAdded', { count: added })}</span>}
          {removed > 0 && <span>{t('tool.linesRemoved', { count: removed })}</span>}
        </span>
        <span className="flex-1" />
        {undo.isSuccess ? (
          <span className="text-muted">{t('tool.undoneShort')}</span>
        ) : (
          <Button look="link" disabled={undo.isPending} onClick={() => undo.mutate({ agent, path, patch })}>
            {t('tool.undo')}
          </Button>
        )}
        <Link href={paths.file(path, startLine)} className="text-muted hover:underline">
          {t('tool.open')}
        </Link>
      </figcaption>
      <Patch patch={patch} isUndone={undo.isSuccess} />
    </figure>
  )
}
