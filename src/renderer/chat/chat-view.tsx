import { skipToken, useMutation, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { PanelRight } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState, type DragEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import type { Agent } from '#shared/contract/index.ts'
import { api, client, connection } from '#lib/api/client.ts'
import { moveDraft } from '#lib/drafts/use-draft.ts'
import { runWithErrorToast } from '#lib/feedback/toast.ts'
import { ErrorState } from '#lib/feedback/error-state.tsx'
import { isErrorOf } from '#lib/feedback/explain.ts'
import { Button, IconButton } from '#lib/ui/button.tsx'
import { clipLine } from '#lib/util/clip.ts'
import { ErrorBoundary } from '#lib/ui/error-boundary.tsx'
import { messageOfHash, paths, useHash } from '#lib/router/paths.ts'
import { StartPage } from './start-page.tsx'
import { EmptyState, Skeleton } from '#lib/ui/states.tsx'
import { ViewHeader } from '#lib/ui/view-header.tsx'
import { ChatActionsContext } from './chat-actions.ts'
import { Composer, type ComposerHandle, type OutgoingMessage } from './composer/composer.tsx'
import { Conversation, type ConversationHandle } from './conversation.tsx'
import { Details } from './messages/details.tsx'
import { useLive, useLiveTurnFollower } from './live-turn.ts'
import { outbox } from './composer/outbox.ts'
import { QueuedMessages } from './composer/queued-messages.tsx'
import { SessionMenu } from './sessions/session-menu.tsx'
import { toTurns } from './messages/turns.ts'
import { OutboxList } from './composer/outbox-list.tsx'
import { useCreateChatActions } from './use-chat-actions.ts'
import { WithoutMemoryNote, WithoutMemorySwitch } from './messages/without-memory.tsx'

const showSendingMs = 600
const checkAfterMs = 2500

interface ChatViewProps {
  readonly agent: Agent
  readonly session?: string
}

export function ChatView({ agent, session }: ChatViewProps) {
  const conversation = useQuery(
    api.sessions.get.queryOptions({ input: session === undefined ? skipToken : { agent: agent.id, session } }),
  )
  if (session !== undefined && conversation.data && isErrorOf(conversation.error, 'unknown_session'))
    return <RemovedChat agent={agent.id} session={session} title={conversation.data.summary.title} />
  if (session !== undefined && isErrorOf(conversation.error, 'unknown_session')) return <NoSuchChat />
  return <OpenChat agent={agent} {...(session === undefined ? {} : { session })} conversation={conversation} />
}

/** Shown if the address names a missing or deleted conversation, since no message could be sent to it. */
function NoSuchChat() {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  return (
    <section aria-label={t('chat.conversation')} className="flex min-w-0 flex-1 flex-col">
      <ViewHeader title={t('chat.noSuch')} />
      <EmptyState title={t('chat.noSuch')} hint={t('chat.noSuchHint')}>
        <Button look="primary" onClick={() => navigate(paths.chat())}>
          {t('nav.newChat')}
        </Button>
      </EmptyState>
    </section>
  )
}

function RemovedChat({ agent, session, title }: { agent: string; session: string; title: string }) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const restore = useMutation(api.sessions.restore.mutationOptions())
  return (
    <section aria-label={t('chat.conversation')} className="flex min-w-0 flex-1 flex-col">
      <ViewHeader title={clipLine(title) || t('nav.untitled')} />
      <EmptyState title={t('chat.removed')} hint={t('chat.removedHint')}>
        <Button disabled={restore.isPending} onClick={() => restore.mutate({ agent, session })}>
          {t('chat.bringBack')}
        </Button>
        <Button onClick={() => navigate(paths.chat())}>{t('nav.newChat')}</Button>
      </EmptyState>
    </section>
  )
}

type ConversationQuery = UseQueryResult<Awaited<ReturnType<typeof client.sessions.get>>, Error>

function OpenChat({ agent, session, conversation }: ChatViewProps & { readonly conversation: ConversationQuery }) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const hash = useHash()
  const [hasDetails, setHasDetails] = useState(false)
  const [selected, setSelected] = useState<string>()
  const [editing, setEditing] = useState<string>()
  const [isReopened, setIsReopened] = useState(false)
  const [isWithoutMemory, setIsWithoutMemory] = useState(false)
  const [sending, setSending] = useState<OutgoingMessage>()
  const follower = useLiveTurnFollower(agent.id, session)
  const isRunning = useLive(follower, (turn) => turn.running)
  const scroller = useRef<ConversationHandle>(null)
  const composer = useRef<ComposerHandle>(null)
  const startingChat = useRef<Promise<string | undefined>>(undefined)
  const onEdit = useCallback((message: string | undefined) => {
    setEditing(message)
    if (message === undefined) composer.current?.focus()
  }, [])
  const actions = useCreateChatActions(agent, session ?? '', { onEdit, onSelect: setSelected })
  const { data } = conversation
  const turns = useMemo(() => toTurns(data?.messages ?? [], data?.events), [data])
  const isOver = data?.over === true && !isReopened && !isRunning

  const send = useCallback(
    async ({ text, attachments, delivery }: OutgoingMessage) => {
      const to = session ?? (await startingChat.current)
      // Offline: the message waits in the outbox and appears in the chat.
      if (connection.state !== 'open') {
        const choices = { reopen: isReopened, withoutMemory: isWithoutMemory }
        outbox.add({ agent: agent.id, session: to, text, attachments, delivery, ...choices })
        return true
      }
      // Commands may run for a while before they answer.
      const isCommand = text.startsWith('/')
      const shown = setTimeout(() => !isCommand && setSending({ text, attachments, delivery }), showSendingMs)
      const checked = setTimeout(() => void connection.check(), checkAfterMs)
      const sending = runWithErrorToast(
        client.chat.send({
          agent: agent.id,
          text,
          attachments: [...attachments],
          delivery,
          reopen: isReopened,
          ...(to === undefined ? { withoutMemory: isWithoutMemory } : { session: to }),
        }),
      )
      if (to === undefined) startingChat.current = sending.then((begun) => begun?.value.session)
      const sent = await sending
      clearTimeout(shown)
      clearTimeout(checked)
      setSending(undefined)
      if (!sent) return false
      if (sent.value.session !== session) {
        moveDraft(agent.id, session, sent.value.session)
        navigate(paths.chat(sent.value.session))
      }
      scroller.current?.follow()
      return true
    },
    [agent.id, session, isReopened, isWithoutMemory, navigate],
  )
  useEffect(() => {
    if (session !== undefined) return undefined
    return outbox.onChatStarted((of, begun) => {
      if (of !== agent.id) return
      moveDraft(agent.id, undefined, begun)
      navigate(paths.chat(begun))
    })
  }, [agent.id, session, navigate])
  const stop = useMutation(api.chat.stop.mutationOptions())
  const editLast = () => setEditing(turns.findLast(({ question }) => question !== undefined)?.question?.id)
  const { isOver: isDropping, ...dropTarget } = useDropTarget((files) => composer.current?.attach(files))
  const detailed = turns.find(({ id }) => id === selected) ?? turns.at(-1)
  const isEmpty = session === undefined || (data && turns.length === 0 && !isRunning)
  return (
    <ChatActionsContext value={actions}>
      <section
        aria-label={t('chat.conversation')}
        className={`relative flex min-w-0 flex-1 flex-col ${isDropping ? 'outline-2 -outline-offset-4 outline-accent outline-dashed' : ''}`}
        {...dropTarget}
      >
        <ChatHeader
          agent={agent}
          session={session}
          turns={turns.filter(({ question }) => question !== undefined).length}
        >
          <IconButton label={t('chat.details')} aria-pressed={hasDetails} onClick={() => setHasDetails(!hasDetails)}>
            <PanelRight size={15} />
          </IconButton>
        </ChatHeader>
        {conversation.error ? (
          <div className="flex-1">
            <ErrorState error={conversation.error} onRetry={() => void conversation.refetch()} />
          </div>
        ) : isEmpty ? (
          <div className="flex-1 overflow-y-auto">
            <StartPage agent={agent} onPropose={(text) => composer.current?.takeBack(text)} />
          </div>
        ) : data ? (
          <ErrorBoundary piece="view" variant="view" resetKey={data}>
            <Conversation
              ref={scroller}
              turns={turns}
              follower={follower}
              skippedLines={data.skippedLines}
              selected={detailed?.id}
              editing={editing}
              target={messageOfHash(hash)}
            />
          </ErrorBoundary>
        ) : (
          <div className="flex-1">
            <Skeleton lines={7} />
          </div>
        )}
        <OutboxList
          agent={agent.id}
          session={session}
          sending={sending}
          onTakeBack={({ text, attachments }) => composer.current?.takeBack(text, attachments)}
        />
        {session !== undefined && (
          <QueuedMessages
            agent={agent.id}
            session={session}
            follower={follower}
            onTakeBack={(text) => composer.current?.takeBack(text)}
          />
        )}
        {isOver && (
          <p className="mx-auto flex w-full max-w-[740px] items-center gap-3 px-6 pb-2 text-[12px] text-muted">
            {t('chat.over')}
            <Button look="link" onClick={() => setIsReopened(true)}>
              {t('chat.goOnHere')}
            </Button>
          </p>
        )}
        {session === undefined ? (
          <WithoutMemorySwitch isOff={isWithoutMemory} onChange={setIsWithoutMemory} />
        ) : (
          data?.summary.isWithoutMemory && <WithoutMemoryNote agent={agent.id} session={session} />
        )}
        <Composer
          ref={composer}
          agent={agent}
          session={session}
          isRunning={isRunning}
          onSend={send}
          onStop={() => session !== undefined && stop.mutate({ agent: agent.id, session })}
          onEditLast={editLast}
          {...(isEmpty && { onSearch: (text: string) => navigate(paths.search(text)) })}
        />
      </section>
      {hasDetails && (
        <ErrorBoundary piece="part" resetKey={detailed}>
          <Details agent={agent.id} session={session} turn={detailed} onClose={() => setHasDetails(false)} />
        </ErrorBoundary>
      )}
    </ChatActionsContext>
  )
}

interface ChatHeaderProps {
  readonly agent: Agent
  readonly session: string | undefined
  readonly turns: number
  readonly children: React.ReactNode
}

function ChatHeader({ agent, session, turns, children }: ChatHeaderProps) {
  const { t } = useTranslation()
  const sessions = useQuery(api.sessions.list.queryOptions({ input: { agent: agent.id } }))
  const summary = sessions.data?.find(({ id }) => id === session)
  const title = session === undefined ? t('nav.newChat') : clipLine(summary?.title ?? '') || t('nav.untitled')
  return (
    <ViewHeader title={title} aside={turns > 0 ? t('chat.turns', { count: turns }) : undefined}>
      {summary && <SessionMenu agent={agent.id} summary={summary} />}
      {children}
    </ViewHeader>
  )
}

function useDropTarget(onFiles: (files: readonly File[]) => void) {
  const [depth, setDepth] = useState(0)
  const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes('Files')
  return {
    isOver: depth > 0,
    onDragEnter: (event: DragEvent) => hasFiles(event) && setDepth((before) => before + 1),
    onDragLeave: (event: DragEvent) => hasFiles(event) && setDepth((before) => Math.max(0, before - 1)),
    onDragOver: (event: DragEvent) => hasFiles(event) && event.preventDefault(),
    onDrop: (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setDepth(0)
      onFiles([...event.dataTransfer.files])
    },
  }
}
