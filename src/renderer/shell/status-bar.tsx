import { t } from 'i18next'
import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { Link } from 'wouter'
import { Popover } from '@base-ui/react/popover'
import { useState } from 'react'
import { offlineModelId } from '#shared/util/providers.ts'
import { api, useConnectionState } from '#lib/api/client.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { formatMoney, formatShort } from '#lib/i18n/format.ts'
import { paths } from '#lib/router/paths.ts'
import { IndexProgress } from '#lib/search/index-progress.tsx'
import { usePublishedDraftTokens } from '../chat/composer/composer.tsx'
import { ContextBar } from '../chat/context/context-table.tsx'
import { AgentModelPicker } from '../chat/models/model-picker.tsx'
import { explainProblem } from '#shared/i18n/explain.ts'
import { UpdateNotice, ProblemList, ProblemMark, RemedyButton } from '../settings/health.tsx'

export function StatusBar({ session }: { session: string | undefined }) {
  const agent = useAgent()
  const status = useQuery(api.search.status.queryOptions({ input: { agent: agent.id } }))
  const connection = useConnectionState()
  return (
    <footer
      aria-label={t('status.bar')}
      className="flex h-7 shrink-0 items-center gap-4 overflow-hidden border-t border-line bg-side px-3.5 max-sm:gap-2.5 max-sm:px-2 text-[12px] whitespace-nowrap text-muted"
    >
      {connection === 'open' ? (
        status.data && <IndexProgress status={status.data} />
      ) : (
        <Warning text={t(connection === 'refused' ? 'status.notConnected' : 'status.offline')} />
      )}
      <HealthWarning />
      <UpdateNotice />
      <SpendingWarning />
      <span className="flex-1" />
      <ContextMeter session={session} />
      <AgentModelPicker
        trigger={
          <button type="button" className="min-w-12 truncate rounded-sm px-1 hover:bg-soft">
            <span className="sr-only">{t('status.model')} </span>
            {agent.model === offlineModelId ? t('status.noModel') : agent.model}
          </button>
        }
      />
    </footer>
  )
}

function Warning({ text }: { text: string }) {
  return (
    <span className="flex items-center gap-1.5 px-1 text-warning">
      <TriangleAlert size={12} aria-hidden />
      {text}
    </span>
  )
}

function ContextMeter({ session }: { session: string | undefined }) {
  const { id: agent } = useAgent()
  const { data } = useQuery(
    api.context.report.queryOptions({ input: { agent: agent, ...(session === undefined ? {} : { session }) } }),
  )
  const draftTokens = usePublishedDraftTokens(agent, session)
  if (!data) return null
  const tokens = formatShort((data.reportedTokens ?? data.estimatedTokens) + draftTokens)
  return (
    <Link href={paths.sent(session)} className="flex shrink-0 items-center gap-2 rounded-sm px-1 hover:bg-soft">
      <span className="max-sm:sr-only">{t('status.context')}</span>
      <span aria-hidden className="hidden w-36 md:inline">
        <ContextBar report={data} isSmall />
      </span>
      <span className="tabular">
        {tokens} / {formatShort(data.contextWindow)}
      </span>
    </Link>
  )
}

function SpendingWarning() {
  const { spent, limit, isNearLimit } = useQuery(api.settings.usage.queryOptions()).data?.spending ?? {}
  if (!isNearLimit || spent === undefined || limit == null) return null
  return (
    <Link href={paths.settings('spending')} className="tabular rounded-sm hover:bg-soft">
      <Warning text={t('status.spending', { spent: formatMoney(spent), limit: formatMoney(limit) })} />
    </Link>
  )
}

function HealthWarning() {
  const { id: agent } = useAgent()
  const { data = [] } = useQuery(api.health.problems.queryOptions({ input: { agent: agent } }))
  const [isOpen, setIsOpen] = useState(false)
  const problems = data.filter(({ level }) => level !== 'note')
  const [worst] = problems
  if (!worst) return null
  const isSingle = problems.length === 1
  const color = worst.level === 'bad' ? 'text-bad' : 'text-warning'
  return (
    <span className={`flex items-center gap-1 ${isSingle ? 'min-w-0' : 'shrink-0'}`}>
      <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
        <Popover.Trigger
          className={`flex min-w-0 items-center gap-1.5 rounded-sm px-1 hover:bg-soft ${color}`}
          data-testid="health"
        >
          <ProblemMark level={worst.level} size={12} />
          <span className="truncate">
            {isSingle ? explainProblem(worst) : t('status.problems', { count: problems.length })}
          </span>
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Positioner sideOffset={8} align="start" side="top" className="z-50">
            <Popover.Popup
              aria-label={t('health.title')}
              className="max-h-[60vh] w-[min(520px,calc(100vw-24px))] overflow-y-auto rounded-md border border-line bg-raised px-4 py-1 text-[13px] shadow-float"
            >
              <ProblemList problems={problems} onAction={() => setIsOpen(false)} />
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
      {isSingle && worst.remedy && (
        <span className="hidden lg:inline">
          <RemedyButton remedy={worst.remedy} look="link" />
        </span>
      )}
    </span>
  )
}
