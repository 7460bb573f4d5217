/** What the agent does while nothing is said. */
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { explainCode } from '../feedback/index.ts'
import type { Retrying } from './live-turn-state.ts'
import { ProviderWords } from './provider-words.tsx'
import { useLive, type LiveTurnFollower } from './live-turn.ts'
import type { Turn } from './turns.ts'

/** What the agent does while nothing is said. */
export function Waiting({ follower, last }: { follower: LiveTurnFollower; last: Turn | undefined }) {
  const { t } = useTranslation()
  const isQuiet = useLive(
    follower,
    ({ running, text, thinking, settledAs }) =>
      running && (settledAs !== undefined || (text === '' && thinking === '')),
  )
  const keeping = useLive(follower, (turn) => turn.keeping)
  const retrying = useLive(follower, (turn) => turn.retrying)
  if (!isQuiet || hasOpenCall(last)) return null
  if (retrying) return <RetryLine {...retrying} />
  return (
    <p role="status" className="animate-pulse text-muted">
      {keeping ? t(`chat.keeping.${keeping}`) : t('chat.working')}
    </p>
  )
}

/** A tool that runs says so itself. */
function hasOpenCall(last: Turn | undefined): boolean {
  return last?.answers.at(-1)?.tools.some(({ result }) => result === undefined) ?? false
}

function RetryLine({ code, data, at }: Retrying) {
  const { t } = useTranslation()
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [])
  const sentence = explainCode(code, { provider: t('chat.theProvider'), ...data })
  const seconds = Math.max(0, Math.ceil((at - now) / 1000))
  return (
    <div role="status">
      <p className="text-warning">{t('chat.retrying', { reason: sentence, seconds })}</p>
      <ProviderWords sentence={sentence} data={data} />
    </div>
  )
}
