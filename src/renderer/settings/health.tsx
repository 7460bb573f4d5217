import { t } from 'i18next'
import { CircleAlert, Info, TriangleAlert } from 'lucide-react'
import { Link } from 'wouter'
import type { Problem, Remedy } from '#shared/contract/index.ts'
import { useQuery } from '@tanstack/react-query'
import { api, client } from '#lib/api/client.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { runWithErrorToast } from '#lib/feedback/toast.ts'
import { explainFault, explainProblem } from '#shared/i18n/explain.ts'
import { formatMoment, formatBytes, formatPercent } from '#lib/i18n/format.ts'
import { Button, TextLink } from '#lib/ui/elements.tsx'
import { navigate, paths } from '#lib/router/paths.ts'
import { useEffect, useState } from 'react'
import type { UpdateAction, UpdateState } from '#shared/contract/update-state.ts'

const levelLooks = {
  bad: { Icon: CircleAlert, color: 'text-bad' },
  warning: { Icon: TriangleAlert, color: 'text-warning' },
  note: { Icon: Info, color: 'text-muted' },
} as const

export function ProblemMark({ level, size }: { level: Problem['level']; size: number }) {
  const { Icon, color } = levelLooks[level]
  return <Icon size={size} aria-hidden className={`shrink-0 ${color}`} />
}

interface ProblemListProps {
  readonly label?: string
  readonly problems: readonly Problem[]
  readonly onAction?: () => void
}

export function ProblemList({ label, problems, onAction }: ProblemListProps) {
  const keyOf = ({ agent, part, code, path }: Problem) => JSON.stringify([agent, part, code, path])
  return (
    <ul aria-label={label}>
      {problems.map((problem) => (
        <ProblemItem key={keyOf(problem)} problem={problem} onAction={onAction} />
      ))}
    </ul>
  )
}

function ProblemItem({ problem, onAction }: { problem: Problem; onAction: (() => void) | undefined }) {
  const { part, level, since, message, path, files = [], remedy } = problem
  const { data } = useQuery({ ...api.settings.get.queryOptions(), enabled: part === 'settings' })
  const faults = data?.problems.map((one) => [one.key, explainFault(one)].filter(Boolean).join(' · ')) ?? []
  const located =
    path === undefined || message.includes(path) ? message : t('common.pair', { name: path, value: message })
  const text = faults.length > 0 ? faults.join('\n') : located
  return (
    <li data-testid="problem" className="flex gap-3 border-b border-soft py-2.5 last:border-0">
      <span className="pt-0.5">
        <ProblemMark level={level} size={14} />
      </span>
      <div className="min-w-0 flex-1">
        <p className="font-medium">{explainProblem(problem)}</p>
        <p className="text-[12px] text-muted">
          {t(`health.part.${part}`)} · {t('health.since', { time: formatMoment(since) })}
        </p>
        {text !== '' && <p className="mt-1 text-[12px] break-words whitespace-pre-line">{text}</p>}
        {files.length > 0 && (
          <ul aria-label={t('health.files')} className="mt-1 max-h-48 overflow-y-auto">
            {files.map((file) => (
              <li key={file}>
                <TextLink href={paths.file(file)} onClick={onAction} className="font-mono text-[12px] break-all">
                  {file}
                </TextLink>
              </li>
            ))}
          </ul>
        )}
      </div>
      {remedy && <RemedyButton remedy={remedy} onDone={onAction} />}
    </li>
  )
}

interface RemedyProps {
  readonly remedy: Remedy
  readonly onDone?: (() => void) | undefined
  readonly look?: 'plain' | 'link'
}

export function RemedyButton({ remedy, onDone, look = 'plain' }: RemedyProps) {
  const { id: agent } = useAgent()
  const name = remedy.kind === 'settings' ? remedy.section : remedy.kind
  const onClick = () => {
    onDone?.()
    if (remedy.kind === 'tryAgain') void runWithErrorToast(client.health.tryAgain({ agent }))
    else if (remedy.kind === 'reindex') void runWithErrorToast(client.search.reindex({ agent }))
    else if (remedy.kind === 'file') navigate(paths.file(remedy.path))
    else if (remedy.kind === 'configFile') navigate(paths.settings('file'))
    else navigate(paths.settings(remedy.section === 'all' ? 'memory.embedding' : remedy.section))
  }
  return (
    <Button look={look} className="shrink-0 self-start whitespace-nowrap" onClick={onClick}>
      {t(`health.remedy.${name}`)}
    </Button>
  )
}

const act = (action: UpdateAction) => window.commonplaceDesktop?.actOnUpdate(action)

function useUpdate(): UpdateState & { title: string } {
  const [state, setState] = useState<UpdateState>({ stage: 'off' })
  useEffect(() => window.commonplaceDesktop?.followUpdates(setState), [])
  const { stage, version, share = 0, isEarlier } = state
  if (stage === 'off' || stage === 'none') return { ...state, title: '' }
  const values = { version, share: formatPercent(share), ...(isEarlier && { context: 'earlier' }) }
  return { ...state, title: t(`update.${stage}`, values) }
}

export function UpdateNotice() {
  const { title, stage, isHidden } = useUpdate()
  if (title === '' || stage === 'current' || isHidden) return null
  const color = stage === 'failed' ? 'text-warning' : 'text-accent'
  return (
    <Link href={paths.settings('version')} className={`min-w-0 truncate rounded-sm px-1 hover:bg-soft ${color}`}>
      {title}
    </Link>
  )
}

export function UpdatePanel() {
  const { title, stage, notes = '', bytes = 0, reason, isHidden } = useUpdate()
  if (stage === 'off') return null
  const hint = stage === 'ready' ? t('update.readyHint') : stage === 'failed' && t('update.failedHint', { reason })
  return (
    <div className="mt-2 flex flex-col gap-2">
      <p role="status" className="font-medium">
        {title}
      </p>
      {hint && <p className="break-words">{hint}</p>}
      {notes !== '' && (
        <section aria-label={t('update.notes')} tabIndex={0} className="max-h-64 overflow-y-auto">
          <p className="break-words whitespace-pre-wrap">{notes}</p>
        </section>
      )}
      <p className="flex flex-wrap gap-2">
        {stage === 'available' && (
          <Button look="primary" onClick={() => act('download')}>
            {t('update.download', { size: formatBytes(bytes) })}
          </Button>
        )}
        {stage === 'ready' && (
          <Button look="primary" onClick={() => act('restart')}>
            {t('update.restart')}
          </Button>
        )}
        {title !== '' && stage !== 'current' && !isHidden && (
          <Button onClick={() => act('hide')}>{t('update.later')}</Button>
        )}
        {stage !== 'downloading' && stage !== 'ready' && (
          <>
            <Button onClick={() => act('check')}>{t('update.check')}</Button>
            <Button onClick={() => act('goBack')}>{t('update.goBack')}</Button>
          </>
        )}
      </p>
    </div>
  )
}
