import { useMutation } from '@tanstack/react-query'
import { CircleCheck, CircleDashed, CircleX, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { Check } from '#shared/contract/index.ts'
import { api, client } from '#lib/api/client.ts'
import { showSuccess } from '#lib/feedback/toast.ts'
import { formatScore } from '#lib/i18n/format.ts'
import { Button, IconButton } from '#lib/ui/button.tsx'
import { PlaceLink } from '../../markdown/citations/place-link.tsx'
import { paths } from '#lib/router/paths.ts'

export function CheckRow({ agent, check }: { agent: string; check: Check }) {
  const { t } = useTranslation()
  const { id, query, relevant, outcome } = check
  const [first] = relevant
  const add = useMutation(api.checks.add.mutationOptions())
  const remove = useMutation(
    api.checks.remove.mutationOptions({
      onSuccess({ removed }) {
        const undo = async () => removed && client.checks.add({ agent, question: removed })
        showSuccess(t('checks.removed'), undo, { look: 'plain' })
      },
    }),
  )
  return (
    <li
      data-testid="check"
      data-passed={outcome === null ? undefined : outcome.rank !== null}
      className="flex items-start gap-3 border-t border-soft px-5 py-2.5 [contain-intrinsic-size:auto_60px] [content-visibility:auto]"
    >
      <Mark check={check} />
      <div className="min-w-0 flex-1">
        <Link
          href={paths.found(query, first && { path: first.path, line: first.startLine })}
          className="hover:underline"
        >
          {query}
        </Link>
        <ul className="flex flex-wrap gap-x-4 text-[12px]">
          {relevant.map(({ path, startLine, endLine, state }) => (
            <li key={`${path}:${startLine}`}>
              <PlaceLink agent={agent} path={path} startLine={startLine} endLine={endLine} />
              {state !== 'there' && <span className="pl-2 text-warning">{t(`checks.${state}`)}</span>}
              {state === 'changed' && (
                <Button
                  look="link"
                  className="pl-2"
                  onClick={() => add.mutate({ agent, question: { query, relevant: [{ path, startLine, endLine }] } })}
                >
                  {t('checks.takeNew')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      </div>
      <p className="shrink-0 text-right text-[12px] text-muted">
        {outcome?.rank != null
          ? t('checks.found', { rank: outcome.rank, score: formatScore(outcome.score) })
          : outcome?.reason && t(`checks.reason.${outcome.reason}`, { score: formatScore(outcome.score) })}
      </p>
      <IconButton label={t('checks.remove', { query })} onClick={() => remove.mutate({ agent, id })}>
        <Trash2 size={14} />
      </IconButton>
    </li>
  )
}

function Mark({ check: { outcome } }: { check: Check }) {
  const { t } = useTranslation()
  const Icon = outcome === null ? CircleDashed : outcome.rank === null ? CircleX : CircleCheck
  const color = outcome === null ? 'text-faint' : outcome.rank === null ? 'text-bad' : 'text-good'
  const label = outcome === null ? 'checks.notRun' : outcome.rank === null ? 'checks.fails' : 'checks.passes'
  return <Icon size={16} role="img" aria-label={t(label)} className={`mt-0.5 shrink-0 ${color}`} />
}
