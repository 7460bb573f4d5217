import { useMutation, useQuery } from '@tanstack/react-query'
import { t } from 'i18next'
import { toast } from 'sonner'
import type { LeftFile } from '#shared/contract/index.ts'
import { api, queryClient } from '#lib/api/client.ts'
import { formatMoment } from '#lib/i18n/format.ts'
import { Button } from '#lib/ui/button.tsx'

/** Returns true for the imported copy of a file that agents follow, such as `CLAUDE (imported).md`. */
export function isRenamedInstruction(path: string): boolean {
  return / \(imported\)( \d+)?\.[^./]+$/.test(path)
}

export function showImportUndone({ notes, left }: { notes: number; left: readonly LeftFile[] }): void {
  void refetchImports()
  toast(t('import.undone', { count: notes }))
  const description = left.map(({ path }) => path).join(', ')
  if (left.length > 0) toast.warning(t('import.undoLeft', { count: left.length }), { description })
}

export const refetchImports = () => queryClient.invalidateQueries({ queryKey: api.import.past.key() })

export function PastImports({ agent }: { agent: string }) {
  const imports = useQuery(api.import.past.queryOptions({ input: { agent }, refetchOnMount: 'always' }))
  const undo = useMutation(api.history.revert.mutationOptions({ onSuccess: showImportUndone }))
  if (!imports.data || imports.data.length === 0) return null
  return (
    <section aria-label={t('import.past')} className="flex flex-col gap-1 border-t border-line pt-4">
      <h3 className="font-medium">{t('import.past')}</h3>
      <ul className="flex flex-col">
        {imports.data.map(({ change, path, at, files, left }) => (
          <li key={change} className="border-b border-soft py-1.5">
            <div className="flex flex-wrap items-baseline gap-x-3">
              <span className="min-w-0 flex-[1_1_200px] font-mono text-[12px] break-all">{path}</span>
              <span className="ml-auto flex shrink-0 items-baseline gap-x-3">
                <span className="tabular text-[12px] text-muted">{t('nav.files', { count: files })}</span>
                <span className="text-[12px] text-muted">{formatMoment(at)}</span>
                <Button look="link" disabled={undo.isPending} onClick={() => undo.mutate({ agent, change })}>
                  {t('import.undo')}
                  <span className="sr-only">: {path}</span>
                </Button>
              </span>
            </div>
            {left.length > 0 && (
              <details className="text-[12px] text-muted">
                <summary className="cursor-pointer">{t('import.undoLeft', { count: left.length })}</summary>
                <p className="font-mono break-all">{left.join(' · ')}</p>
              </details>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
