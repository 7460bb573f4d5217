import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown } from 'lucide-react'
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, useState, type Ref } from 'react'
import { t } from 'i18next'
import { Button, TextLink } from '#lib/ui/elements.tsx'
import { offlineModelId } from '#shared/util/providers.ts'
import { explainCode } from '#shared/i18n/explain.ts'
import { formatNumber } from '#lib/i18n/format.ts'
import { paths } from '#lib/router/paths.ts'
import { useLive } from './live-turn.ts'
import { TurnView } from './messages/message.tsx'
import { useModel } from './models/model-picker.tsx'
import type { Turn, RetryState } from './turns.ts'
import { useChatActions } from './chat-actions.ts'
import { ProviderMessage } from './messages/answer-notes.tsx'

/** Distance from the end within which the view follows new text, px. */
const followDistance = 80

const estimatedTurnHeight = 180

export interface ChatMessagesHandle {
  follow(): void
}

interface ChatMessagesProps {
  readonly ref?: Ref<ChatMessagesHandle>
  readonly turns: readonly Turn[]
  /** 1-based numbers of unreadable transcript lines. */
  readonly skippedLines: readonly number[]
  readonly editedMessage: string | undefined
  readonly targetMessage: string | undefined
}

export function ChatMessages(props: ChatMessagesProps) {
  const { ref, turns, skippedLines, editedMessage, targetMessage } = props
  const frame = useRef<HTMLDivElement>(null)
  const { session } = useChatActions()
  const isRunning = useLive(session, (turn) => turn.isRunning)
  const [isAtEnd, setIsAtEnd] = useState(true)
  const virtualizer = useVirtualizer({
    count: turns.length + 1,
    getScrollElement: () => frame.current,
    estimateSize: (index) => (index === turns.length ? 0 : estimatedTurnHeight),
    getItemKey: (index) => turns[index]?.id ?? 'live',
    overscan: 4,
    gap: 8,
    paddingStart: 24,
    paddingEnd: 24,
    // TanStack Virtual keeps the end in view while the last row grows, unless the reader has scrolled away.
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: followDistance,
    onChange: (instance) => setIsAtEnd(instance.isAtEnd(followDistance)),
  })
  useImperativeHandle(ref, () => ({ follow: () => virtualizer.scrollToEnd() }), [virtualizer])
  const targetIndex = turns.findIndex(({ question, answers }) =>
    [question, ...answers].some((message) => message !== undefined && message.id === targetMessage),
  )
  useLayoutEffect(() => {
    if (targetIndex >= 0) virtualizer.scrollToIndex(targetIndex, { align: 'start' })
    else virtualizer.scrollToEnd()
    // Only on mount and for a new target, so that it does not override the reader's scrolling.
  }, [virtualizer, targetIndex])
  // Keeps the end in view when the frame changes its size.
  useEffect(() => {
    const element = frame.current
    if (!element) return undefined
    let wasAtEnd = false
    const onScroll = () => (wasAtEnd = virtualizer.isAtEnd(followDistance))
    const sizeObserver = new ResizeObserver(() => wasAtEnd && virtualizer.scrollToEnd())
    sizeObserver.observe(element)
    element.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      sizeObserver.disconnect()
      element.removeEventListener('scroll', onScroll)
    }
  }, [virtualizer])
  return (
    <div className="relative min-h-0 flex-1">
      <div ref={frame} tabIndex={-1} className="h-full overflow-y-auto [overflow-anchor:none]" data-testid="scroller">
        {skippedLines.length > 0 && (
          <p className="mx-auto max-w-[740px] px-8 pt-4 text-warning">
            {t('chat.skipped', { count: skippedLines.length, lines: skippedLines.slice(0, 10).join(', ') })}
          </p>
        )}
        <div className="relative w-full" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, key, start }) => {
            const turn = turns[index]
            return (
              <div
                key={key}
                ref={virtualizer.measureElement}
                data-index={index}
                className="absolute inset-x-0 top-0 mx-auto max-w-[740px] px-8"
                style={{ transform: `translateY(${start}px)` }}
              >
                {turn ? (
                  <TurnView
                    turn={turn}
                    isEditing={turn.question !== undefined && turn.question.id === editedMessage}
                    isRunning={isRunning && index === turns.length - 1}
                    isLast={index === turns.length - 1}
                  />
                ) : (
                  <ThinkingIndicator lastTurn={turns.at(-1)} />
                )}
              </div>
            )
          })}
        </div>
      </div>
      {!isAtEnd && (
        <Button
          className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full! shadow-float"
          onClick={() => virtualizer.scrollToEnd()}
        >
          {isRunning ? t('chat.newText') : t('chat.toEnd')} <ArrowDown size={13} aria-hidden />
        </Button>
      )}
    </div>
  )
}

const showElapsedAfterS = 8

function ThinkingIndicator({ lastTurn }: { lastTurn: Turn | undefined }) {
  const { session, retryNow } = useChatActions()
  const model = useModel()
  const isLocal = model?.isLocal === true && model.id !== offlineModelId
  const { isWaiting, compactionStep, retry } = useLive(
    session,
    ({ isRunning, text, thinking, messageId, compactionStep, retry }) => ({
      isWaiting: isRunning && (messageId !== undefined || (text === '' && thinking === '')),
      compactionStep,
      retry,
    }),
  )
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
          <TextLink href={paths.settings('chat.idleTimeout')} className="ml-2">
            {t('chat.waitLonger')}
          </TextLink>
        )}
      </p>
      <ProviderMessage sentence={sentence} data={data} />
    </div>
  )
}
