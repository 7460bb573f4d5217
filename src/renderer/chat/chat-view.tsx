import { useQuery } from '@tanstack/react-query'
import { ArrowDown, PanelRight } from 'lucide-react'
import { useCallback, useEffect, useImperativeHandle, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import { useLocation } from 'wouter'
import type { Agent } from '../../shared/contract/index.ts'
import { api, client, explainError } from '../api/index.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { paths } from '../ui/navigate.ts'
import { EmptyState, ErrorState, Skeleton } from '../ui/states.tsx'
import { ViewHeader } from '../ui/view-header.tsx'
import { Composer } from './composer.tsx'
import { Details } from './details.tsx'
import { useLiveTurn } from './live-turn.ts'
import type { LiveTurn } from './live-turn-state.ts'
import { Markdown } from './markdown.tsx'
import { Thinking, TurnView } from './message.tsx'
import { toTurns } from './turns.ts'

/** This close to the end (px) a reader is taken to follow the conversation. */
const followDistance = 80

export function ChatView({ agent, session }: { agent: Agent; session?: string }) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const [hasDetails, setHasDetails] = useState(false)
  const [selected, setSelected] = useState<string>()
  const conversation = useQuery({
    ...api.sessions.get.queryOptions({ input: { agent: agent.id, session: session ?? '' } }),
    enabled: session !== undefined,
  })
  const live = useLiveTurn(agent.id, session)
  const scroller = useRef<ScrollerHandle>(null)
  const turns = useMemo(
    () => toTurns(conversation.data?.messages ?? [], conversation.data?.events),
    [conversation.data],
  )
  const onSend = useCallback(
    async (text: string) => {
      try {
        const sent = await client.chat.send({ agent: agent.id, text, ...(session === undefined ? {} : { session }) })
        if (sent.session !== session) navigate(paths.chat(sent.session))
        scroller.current?.follow()
        return true
      } catch (error) {
        toast.error(explainError(error))
        return false
      }
    },
    [agent.id, session, navigate],
  )
  const onStop = () => session !== undefined && void client.chat.stop({ agent: agent.id, session })
  const title = session === undefined ? t('nav.newChat') : conversation.data?.summary.title || t('nav.untitled')
  const detailed = turns.find(({ id }) => id === selected) ?? turns.at(-1)
  return (
    <>
      <section aria-label={t('chat.conversation')} className="flex min-w-0 flex-1 flex-col">
        <ViewHeader title={title} aside={turns.length > 0 ? t('chat.turns', { count: turns.length }) : undefined}>
          <IconButton label={t('chat.details')} aria-pressed={hasDetails} onClick={() => setHasDetails(!hasDetails)}>
            <PanelRight size={15} />
          </IconButton>
        </ViewHeader>
        {conversation.error ? (
          <div className="flex-1">
            <ErrorState error={conversation.error} onRetry={() => void conversation.refetch()} />
          </div>
        ) : session === undefined || (conversation.data && turns.length === 0 && !live.running) ? (
          <div className="flex-1 overflow-y-auto">
            <EmptyState title={t('chat.empty')} hint={t('chat.emptyHint', { workspace: agent.workspace })}>
              {[t('chat.sample1'), t('chat.sample2'), t('chat.sample3')].map((sample) => (
                <Button key={sample} onClick={() => void onSend(sample)}>
                  {sample}
                </Button>
              ))}
            </EmptyState>
          </div>
        ) : conversation.data ? (
          <Scroller ref={scroller}>
            {conversation.data.skippedLines.length > 0 && (
              <p className="text-warning">
                {t('chat.skipped', {
                  count: conversation.data.skippedLines.length,
                  lines: conversation.data.skippedLines.slice(0, 10).join(', '),
                })}
              </p>
            )}
            {turns.map((turn) => (
              <TurnView
                key={turn.id}
                agent={agent.id}
                turn={turn}
                isSelected={turn === detailed}
                isRunning={live.running && turn === turns.at(-1)}
                onSelect={setSelected}
              />
            ))}
            <Live agent={agent.id} live={live} />
          </Scroller>
        ) : (
          <div className="flex-1">
            <Skeleton lines={7} />
          </div>
        )}
        <Composer agentName={agent.id} model={agent.model} isRunning={live.running} onSend={onSend} onStop={onStop} />
      </section>
      {hasDetails && <Details turn={detailed} onClose={() => setHasDetails(false)} />}
    </>
  )
}

/** What is being said right now. Finished answers are announced to screen readers as they arrive. */
function Live({ agent, live }: { agent: string; live: LiveTurn }) {
  const { t } = useTranslation()
  const isWaiting = live.running && live.text === '' && live.thinking === ''
  return (
    <div aria-live="polite" className="flex flex-col gap-3">
      {live.thinking !== '' && <Thinking text={live.thinking} />}
      {live.text !== '' && <Markdown text={live.text} agent={agent} />}
      {isWaiting && (
        <p className="animate-pulse text-muted">
          {live.keeping ? t(`chat.keeping.${live.keeping}`) : t('chat.working')}
        </p>
      )}
    </div>
  )
}

interface ScrollerHandle {
  /** Goes to the end and stays there: the reader has just said something. */
  follow(): void
}

/** Follows the end while the reader is there; leaves the scroll alone otherwise, and says that there is more. */
function Scroller({ ref, children }: { ref: React.Ref<ScrollerHandle>; children: React.ReactNode }) {
  const { t } = useTranslation()
  const frame = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const isFollowing = useRef(true)
  const [hasMore, setHasMore] = useState(false)
  const toEnd = () => frame.current?.scrollTo({ top: frame.current.scrollHeight })
  useImperativeHandle(ref, () => ({
    follow() {
      isFollowing.current = true
      frame.current?.scrollTo({ top: frame.current.scrollHeight })
    },
  }))
  useEffect(() => {
    const element = frame.current
    if (!element || !content.current) return undefined
    const growth = new ResizeObserver(() => {
      if (isFollowing.current) element.scrollTo({ top: element.scrollHeight })
      else setHasMore(true)
    })
    growth.observe(content.current)
    growth.observe(element)
    let top = element.scrollTop
    const onScroll = () => {
      const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < followDistance
      // Only the reader scrolls up; content that grows faster than it is followed does not.
      if (isAtEnd) isFollowing.current = true
      else if (element.scrollTop < top) isFollowing.current = false
      top = element.scrollTop
      if (isFollowing.current) setHasMore(false)
    }
    element.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      growth.disconnect()
      element.removeEventListener('scroll', onScroll)
    }
  }, [])
  return (
    <div className="relative min-h-0 flex-1">
      <div ref={frame} className="h-full overflow-y-auto">
        <div ref={content} className="mx-auto flex max-w-[740px] flex-col gap-6 px-8 py-6">
          {children}
        </div>
      </div>
      {hasMore && (
        <Button className="absolute bottom-3 left-1/2 -translate-x-1/2 rounded-full! shadow-float" onClick={toEnd}>
          {t('chat.newText')} <ArrowDown size={13} aria-hidden />
        </Button>
      )}
    </div>
  )
}
