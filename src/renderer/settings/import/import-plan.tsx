import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { ImportPlan } from '#shared/contract/index.ts'
import { api, client, queryClient } from '#lib/api/client.ts'
import { formatBytes, formatNumber } from '#lib/i18n/format.ts'
import { Button } from '#lib/ui/button.tsx'
import { isRenamedInstruction } from './past-imports.tsx'

interface PlanProps {
  readonly task: Parameters<typeof client.import.start>[0]
  readonly plan: ImportPlan
  readonly onAttachments: (withAttachments: boolean) => void
  readonly onDone: () => void
}

export function ImportPlanView({ task, plan, onAttachments, onDone }: PlanProps) {
  const { t } = useTranslation()
  const { kind, added, conflicts, attachments, names } = plan
  const total = added + conflicts + attachments.added + attachments.conflicts
  const start = useMutation(
    api.import.start.mutationOptions({
      onSuccess: () => {
        void queryClient.invalidateQueries({ queryKey: api.import.standing.key() })
        onDone()
      },
    }),
  )
  const hasChoice = kind === 'markdown' && (attachments.added + attachments.conflicts > 0 || !task.withAttachments)
  return (
    <section className="flex flex-col gap-2 rounded-md border border-line px-4 py-3" data-testid="import-plan">
      <Facts plan={plan} />
      {hasChoice && (
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            checked={task.withAttachments}
            disabled={start.isPending}
            onChange={(event) => onAttachments(event.target.checked)}
          />
          {t('import.withAttachments')}
        </label>
      )}
      <ul className="max-h-48 overflow-y-auto font-mono text-[12px] text-muted">
        {names.map((name) => (
          <li key={name} className="truncate">
            {name}
          </li>
        ))}
      </ul>
      {kind === 'markdown' && added + conflicts > 0 && <p className="text-muted">{t('import.marked')}</p>}
      {plan.renamed.count > 0 && (
        <Details title={t('import.renamed', { count: plan.renamed.count })} className="text-muted">
          {plan.renamed.examples.map(({ from, to }) => (
            <li key={to}>
              {from} → {to}
            </li>
          ))}
        </Details>
      )}
      {plan.renamed.examples.some(({ to }) => isRenamedInstruction(to)) && <p>{t('import.instructions')}</p>}
      <ChangedLinks existing={plan.existing} />
      {plan.left.length > 0 && <SkippedFiles left={plan.left} />}
      <div>
        <Button look="primary" disabled={total === 0 || start.isPending} onClick={() => start.mutate(task)}>
          {t('import.start')}
        </Button>
      </div>
    </section>
  )
}

function Facts({ plan }: { plan: ImportPlan }) {
  const { t } = useTranslation()
  const { kind, added, skipped, attachments, links, lost } = plan
  const fact = (name: 'same' | 'conflicts' | 'skipped' | 'links' | 'lost', count: number) =>
    count > 0 ? [t(`import.${name}`, { count })] : []
  const factsOf = ({ same, conflicts }: Pick<ImportPlan, 'same' | 'conflicts'>) => [
    ...fact('same', same),
    ...fact('conflicts', conflicts),
  ]
  const notes = [t('import.plan', { count: added }), ...factsOf(plan), ...fact('skipped', skipped)]
  const hasAttachments = attachments.added + attachments.same + attachments.conflicts > 0
  const size = formatBytes(attachments.bytes)
  const linkFacts = [...fact('links', links), ...fact('lost', lost)]
  return (
    <>
      <p>
        <strong>{t(`import.kind.${kind}`)}</strong>: {notes.join(' · ')}
      </p>
      {hasAttachments && (
        <p>{[t('import.attachments', { count: attachments.added, size }), ...factsOf(attachments)].join(' · ')}</p>
      )}
      {linkFacts.length > 0 && <p>{linkFacts.join(' · ')}</p>}
    </>
  )
}

function Details({ title, className, children }: { title: string; className?: string; children: ReactNode }) {
  return (
    <details className={className}>
      <summary className="cursor-pointer">{title}</summary>
      <ul className="mt-1 max-h-48 overflow-y-auto pl-4 font-mono text-[12px] break-all text-muted">{children}</ul>
    </details>
  )
}

function SkippedFiles({ left }: Pick<ImportPlan, 'left'>) {
  const { t } = useTranslation()
  const count = left.reduce((sum, group) => sum + group.count, 0)
  return (
    <Details title={t('import.left', { count })} className="text-muted">
      {left.map(({ reason, ending, count: groupCount, names }) => (
        <li key={`${reason} ${ending}`}>
          {formatNumber(groupCount)} {ending === '' ? t('import.noEnding') : `.${ending}`},{' '}
          {t(`import.leftReason.${reason}`)}
          <p className="truncate" title={names.join('\n')}>
            {names.join(' · ')}
          </p>
        </li>
      ))}
    </Details>
  )
}

function ChangedLinks({ existing }: Pick<ImportPlan, 'existing'>) {
  const { t } = useTranslation()
  const changed = (['elsewhere', 'shared', 'found'] as const).filter((kind) => existing[kind].count > 0)
  if (changed.length === 0) return null
  return (
    <div className="flex flex-col gap-1" data-testid="changed-links">
      {changed.map((kind) => (
        <Details
          key={kind}
          title={t(`import.existing.${kind}`, { count: existing[kind].count })}
          className={kind === 'elsewhere' ? 'text-warning' : ''}
        >
          {existing[kind].examples.map(({ path, line, target, from, to }) => (
            <li key={`${path} ${line} ${target}`}>
              {path}:{line} · {target} → {from === null || from === to ? to : `${to} (${from})`}
            </li>
          ))}
        </Details>
      ))}
    </div>
  )
}
