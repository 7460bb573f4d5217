import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ImportPlan } from '#shared/contract/index.ts'
import { api, client } from '#lib/api/client.ts'
import { runWithErrorToast } from '#lib/feedback/toast.ts'
import { formatBytes, formatNumber } from '#lib/i18n/format.ts'
import { Button } from '#lib/ui/button.tsx'
import { isRenamedInstruction, showImported } from './past-imports.tsx'

interface PlanProps {
  readonly agent: string
  readonly path: string
  readonly into: string
  readonly withAttachments: boolean
  readonly plan: ImportPlan
  readonly onAttachments: (withAttachments: boolean) => void
  readonly onDone: () => void
}

export function ImportPlanView({ agent, path, into, withAttachments, plan, onAttachments, onDone }: PlanProps) {
  const { t } = useTranslation()
  const [progress, setProgress] = useState<{ done: number; total: number }>()
  const { kind, added, conflicts, attachments, names } = plan
  const cancel = useMutation(api.import.cancel.mutationOptions())
  const total = added + conflicts + attachments.added + attachments.conflicts
  const run = async () => {
    setProgress({ done: 0, total })
    for await (const step of await client.import.run({ agent, path, into, withAttachments })) {
      if (step.type === 'progress') setProgress(step)
      else {
        showImported(t, agent, step)
        onDone()
      }
    }
  }
  const hasChoice = kind === 'markdown' && (attachments.added + attachments.conflicts > 0 || !withAttachments)
  return (
    <section className="flex flex-col gap-2 rounded-md border border-line px-4 py-3" data-testid="import-plan">
      <Facts plan={plan} />
      {hasChoice && (
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            checked={withAttachments}
            disabled={progress !== undefined}
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
      <Renamed renamed={plan.renamed} />
      {plan.renamed.examples.some(({ to }) => isRenamedInstruction(to)) && <p>{t('import.instructions')}</p>}
      <ChangedLinks existing={plan.existing} />
      {plan.left.length > 0 && <SkippedFiles left={plan.left} />}
      {progress ? (
        <div className="tabular flex items-center gap-3">
          <progress max={Math.max(1, progress.total)} value={progress.done} className="h-1.5 flex-1 accent-accent" />
          {t('import.progress', { done: formatNumber(progress.done), total: formatNumber(progress.total) })}
          <Button onClick={() => cancel.mutate({ agent })}>{t('common.cancel')}</Button>
        </div>
      ) : (
        <div>
          <Button
            look="primary"
            disabled={total === 0}
            onClick={() => void runWithErrorToast(run()).then(() => setProgress(undefined))}
          >
            {t('import.start')}
          </Button>
        </div>
      )}
    </section>
  )
}

function Facts({ plan }: { plan: ImportPlan }) {
  const { t } = useTranslation()
  const { kind, added, skipped, attachments, links, lost } = plan
  const factsOf = ({ same, conflicts }: Pick<ImportPlan, 'same' | 'conflicts'>) => [
    ...(same > 0 ? [t('import.same', { count: same })] : []),
    ...(conflicts > 0 ? [t('import.conflicts', { count: conflicts })] : []),
  ]
  const notes = [
    t('import.plan', { count: added }),
    ...factsOf(plan),
    ...(skipped > 0 ? [t('import.skipped', { count: skipped })] : []),
  ]
  const hasAttachments = attachments.added + attachments.same + attachments.conflicts > 0
  const size = formatBytes(attachments.bytes)
  const linkFacts = [
    ...(links > 0 ? [t('import.links', { count: links })] : []),
    ...(lost > 0 ? [t('import.lost', { count: lost })] : []),
  ]
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

function Renamed({ renamed: { count, examples } }: Pick<ImportPlan, 'renamed'>) {
  const { t } = useTranslation()
  if (count === 0) return null
  return (
    <details className="text-muted">
      <summary className="cursor-pointer">{t('import.renamed', { count })}</summary>
      <ul className="mt-1 max-h-48 overflow-y-auto pl-4 font-mono text-[12px]">
        {examples.map(({ from, to }) => (
          <li key={to} className="break-all">
            {from} → {to}
          </li>
        ))}
      </ul>
    </details>
  )
}

function SkippedFiles({ left }: Pick<ImportPlan, 'left'>) {
  const { t } = useTranslation()
  return (
    <details className="text-muted">
      <summary className="cursor-pointer">
        {t('import.left', { count: left.reduce((sum, { count }) => sum + count, 0) })}
      </summary>
      <ul className="mt-1 flex max-h-48 flex-col gap-1 overflow-y-auto pl-4">
        {left.map(({ reason, ending, count, names }) => (
          <li key={`${reason} ${ending}`}>
            <p>
              <span className="tabular">{formatNumber(count)}</span>{' '}
              <span className="font-mono text-[12px]">{ending === '' ? t('import.noEnding') : `.${ending}`}</span>,{' '}
              {t(`import.leftReason.${reason}`)}
            </p>
            <p className="truncate font-mono text-[12px]" title={names.join('\n')}>
              {names.join(' · ')}
            </p>
          </li>
        ))}
      </ul>
    </details>
  )
}

const changeKinds = ['elsewhere', 'shared', 'found'] as const

function ChangedLinks({ existing }: Pick<ImportPlan, 'existing'>) {
  const { t } = useTranslation()
  const changed = changeKinds.filter((kind) => existing[kind].count > 0)
  if (changed.length === 0) return null
  return (
    <div className="flex flex-col gap-1" data-testid="changed-links">
      {changed.map((kind) => (
        <details key={kind}>
          <summary className={`cursor-pointer ${kind === 'elsewhere' ? 'text-warning' : ''}`}>
            {t(`import.existing.${kind}`, { count: existing[kind].count })}
          </summary>
          <ul className="mt-1 max-h-48 overflow-y-auto pl-4 font-mono text-[12px] break-all text-muted">
            {existing[kind].examples.map(({ path, line, target, from, to }) => (
              <li key={`${path} ${line} ${target}`}>
                {path}:{line} · {target} → {from === null || from === to ? to : `${to} (${from})`}
              </li>
            ))}
          </ul>
        </details>
      ))}
    </div>
  )
}
