import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { explainCode } from '#lib/feedback/explain.ts'
import { formatNumber } from '#lib/i18n/format.ts'
import { paths } from '#lib/router/paths.ts'
import { Button } from '#lib/ui/button.tsx'
import { useChatActions } from '../chat-actions.ts'
import type { Retrying } from '../live-turn-state.ts'
import { ProviderMessage } from './provider-message.tsx'
import { useLive, type LiveTurnFollower } from '../live-turn.ts'
import type { Turn } from './turns.ts'

const showElapsedAfterS = 8

export function ThinkingIndicator({ follower, last }: { follower: LiveTurnFollower; last: Turn | undefined }) {
  const { t } = useTranslation()
  const { retryNow } = useChatActions()
  const isQuiet = useLive(
    follower,
    ({ running, text, thinking, settledAs }) =>
      running && (settledAs !== undefined || (text === '' && thinking === '')),
  )
  const keeping = useLive(follower, (turn) => turn.keeping)
  const retrying = useLive(follower, (turn) => turn.retrying)
  if (!isQuiet || hasOpenCall(last)) return null
  if (retrying) return <RetryLine {...retrying} onNow={retryNow} />
  return (
    <p role="status" className="flex gap-2 text-muted">
      <span className="animate-pulse">{keeping ? t(`chat.keeping.${keeping}`) : t('chat.working')}</span>
      <Elapsed key={keeping} />
    </p>
  )
}

function Elapsed() {
  const { t } = useTranslation()
  const [since] = useState(() => Date.now())
  const seconds = Math.floor((useNow() - since) / 1000)
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

function hasOpenCall(last: Turn | undefined): boolean {
  return last?.answers.at(-1)?.tools.some(({ result }) => result === undefined) ?? false
}

function RetryLine({ code, data, attempt, attempts, at, onNow }: Retrying & { onNow: () => void }) {
  const { t } = useTranslation()
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
          <Button look="link" onClick={onNow}>
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
