/** Where one begins with an agent: what was noted today, what changed, what awaits a word, and where one left off. */
import { useTranslation } from 'react-i18next'
import type { Agent } from '#shared/contract/index.ts'
import { Button } from '#lib/ui/button.tsx'
import { ErrorBoundary } from '#lib/ui/error-boundary.tsx'
import { ChangedFiles } from './changed-files.tsx'
import { Decisions } from './decisions.tsx'
import { RecentChats } from './recent-chats.tsx'
import { TodaysLog } from './todays-log.tsx'

interface StartPageProps {
  readonly agent: Agent
  /** Puts a beginning into the field; nobody sends it but the user. */
  readonly onPropose: (text: string) => void
}

export function StartPage({ agent, onPropose }: StartPageProps) {
  const { t } = useTranslation()
  return (
    <div
      className="mx-auto flex w-full max-w-[740px] flex-col gap-7 px-8 py-8 max-sm:px-4 max-sm:py-5"
      data-testid="start"
    >
      <header className="flex flex-col gap-2">
        <h2 className="text-[17px] font-semibold">{t('chat.empty')}</h2>
        <p className="text-muted">{t('chat.emptyHint', { workspace: agent.workspace })}</p>
        <p className="flex flex-wrap gap-2 pt-1">
          {([t('chat.sample1'), t('chat.sample2'), t('chat.sample3')] as const).map((sample) => (
            <Button key={sample} onClick={() => onPropose(sample.replace(/…$/, ''))}>
              {sample}
            </Button>
          ))}
        </p>
      </header>
      <div className="grid gap-x-10 gap-y-7 sm:grid-cols-2">
        <ErrorBoundary piece="part">
          <TodaysLog agent={agent.id} />
        </ErrorBoundary>
        <ErrorBoundary piece="part">
          <ChangedFiles agent={agent.id} />
        </ErrorBoundary>
        <ErrorBoundary piece="part">
          <Decisions agent={agent.id} />
        </ErrorBoundary>
        <ErrorBoundary piece="part">
          <RecentChats agent={agent.id} />
        </ErrorBoundary>
      </div>
    </div>
  )
}
