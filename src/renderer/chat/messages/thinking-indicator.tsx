import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { t } from 'i18next'
import { Link } from 'wouter'
import { offlineModelId } from '#shared/util/providers.ts'
import { api } from '#lib/api/client.ts'
import { explainCode } from '#lib/feedback/explain.ts'
import { formatNumber } from '#lib/i18n/format.ts'
import { paths } from '#lib/router/paths.ts'
import { Button } from '#lib/ui/button.tsx'
import { useChatActions } from '../chat-actions.ts'
import type { RetryState } from '../live-turn-state.ts'
import { ProviderMessage } from './failure.tsx'
import { useLive, type LiveTurnFollower } from '../live-turn.ts'
import type { Turn } from './turns.ts'

const showElapsedAfterS = 8

export function ThinkingIndicator({ follower, lastTurn }: { follower: LiveTurnFollower; lastTurn: Turn | undefined }) {
  const { agent, retryNow } = useChatActions()
  const models = useQuery(api.chat.models.queryOptions({ input: { agent: agent.id } })).data?.models
  const isLocal = models?.find(({ id }) => id === agent.model && id !== offlineModelId)?.isLocal ?? false
  const isWaiting = useLive(
    follower,
    ({ isRunning, text, thinking, messageId }) =>
      isRunning && (messageId !== undefined || (text === '' && thinking === '')),
  )
  const compactionStep = useLive(follower, (turn) => turn.compactionStep)
  const retry = useLive(follower, (turn) => turn.retry)
  const hasOpenCall = lastTurn?.answers.at(-1)?.tools.some(({ result }) => result === undefined)
  if (!isWaiting || hasOpenCall) return null
  if (retry) return <RetryLine {...retry} onRetryNow={retryNow} />
  const sentence = compactionStep ? t(`chat.keeping.${compactionStep}`) : t(isLocal ? 'chat.reading' : 'chat.working')
  return (
    <p role="status" className="flex gap-2 text-muted">
      <span className="animate-pulse">{sentence}</span>
      <Elapsed key={compactionStep} />
    </p>
  )
}

function Elapsed() {
  const [startedAt] = useState(() => Date.now())
  const seconds = Math.floor((useNow() - startedAt) / 1000)
  if (seconds < showElapsedAfterS) return null
  // Hidden from screen readers, which would announce it every second.
  return (
    <span aria-hidden className="tabular">
      {t('chat.elapsed', { seconds: formatNumber(seconds) })}
    </span>
  )
}

function useNow(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [])
  return now
}

function RetryLine({ code, data, attempt, attempts, at, onRetryNow }: RetryState & { onRetryNow: () => void }) {
  const now = useNow()
  const sentence = explainCode(code, { provider: t('chat.theProvider'), ...data })
  const seconds = Math.max(0, Math.ceil((at - now) / 1000))
  return (
    <div role="status">
      <p className="text-warning">
        {sentence}{' '}
        {seconds > 0
          ? t('chat.retryingIn', { seconds, attempt, attempts })
          : t('chat.retryingNow', { attempt, attempts })}{' '}
        {seconds > 0 ? (
          <Button look="link" onClick={onRetryNow}>
            {t('chat.tryNow')}
          </Button>
        ) : (
          <Elapsed key={attempt} />
        )}
        {code === 'provider_timeout' && (
          <Link href={paths.settings('chat.idleTimeout')} className="ml-2 text-accent hover:underline">
            {t('chat.waitLonger')}
          </Link>
        )}
      </p>
      <ProviderMessage sentence={sentence} data={data} />
    </div>
  )
}
