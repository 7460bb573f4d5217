import { PrivateMark } from '#lib/notes/note-marks.tsx'
import { skipToken, useMutation, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { PanelRight, CircleHelp } from 'lucide-react'
import {
  lazy,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type DragEvent,
  type ReactNode,
} from 'react'
import { t } from 'i18next'
import { Link } from 'wouter'
import { useAgent } from '#lib/agents/current-agent.ts'
import { api, client, connection } from '#lib/api/client.ts'
import { moveDraft } from '#lib/drafts.ts'
import { QueryView, EmptyState, ErrorBoundary, Button, IconButton, TextLink } from '#lib/ui/elements.tsx'
import { isErrorOf } from '#lib/feedback/toast.ts'
import { clipLine } from '#lib/util/clip.ts'
import { navigate, messageOfHash, paths, useHash } from '#lib/router/paths.ts'
import { ViewHeader } from '#lib/ui/frames.tsx'
import { ChatActionsContext, useCreateChatActions } from './chat-actions.ts'
import { Composer, type ComposerHandle, type OutgoingMessage } from './composer/composer.tsx'
import type { ChatMessagesHandle } from './chat-messages.tsx'
import { Details } from './messages/details.tsx'
import { useLive, useFollowedTurn } from './live-turn.ts'
import { outbox, QueuedMessages, OutboxList, PrivateLinesDialog } from './composer/outbox.tsx'
import { ChatMenu } from './chat-list.tsx'
import { toTurns } from './turns.ts'
import { ChatKindSwitches, PrivateNote, WithoutMemoryNote, type ChatKind } from './messages/chat-kind.tsx'
import { useCauseName, Counts } from '#lib/diff-view/diff-card.tsx'
import { formatMoment, startOfDay } from '#lib/i18n/format.ts'
import { withoutMarks } from '#shared/markdown/visibility.ts'
import { useDailyPath, useToday } from '#lib/notes/use-vault-settings.ts'
import { logEntries } from '#shared/markdown/log-entry.ts'

/** Loaded after the first page, which shows no messages. */
const loadMessages = () => import('./chat-messages.tsx')
const ChatMessages = lazy(async () => ({ default: (await loadMessages()).ChatMessages }))

/** The chat that was shown last, by agent. A new chat ends it. */
const lastShown = new Map<string, string>()

export function ChatView({ session }: { session?: string | undefined }) {
  const { id: agent } = useAgent()
  // A failed load is repeated when the chat opens.
  useEffect(() => void loadMessages().catch(() => undefined), [])
  useEffect(() => {
    const last = lastShown.get(agent)
    if (session !== undefined) lastShown.set(agent, session)
    else if (last !== undefined && lastShown.delete(agent))
      // The chat may have been deleted. If the end is not stored, the reset rule ends the chat.
      void client.chats.end({ agent, session: last }).catch(() => undefined)
  }, [agent, session])
  const chat = useQuery(api.chats.get.queryOptions({ input: session === undefined ? skipToken : { agent, session } }))
  if (session !== undefined && isErrorOf(chat.error, 'unknown_session'))
    return <MissingChat session={session} removedTitle={chat.data?.summary.title} />
  return <OpenChat session={session} chat={chat} />
}

/** @param removedTitle set if the chat was removed while it was open */
function MissingChat({ session, removedTitle }: { session: string; removedTitle: string | undefined }) {
  const { id: agent } = useAgent()
  const restore = useMutation(api.chats.restore.mutationOptions())
  const isRemoved = removedTitle !== undefined
  const title = t(isRemoved ? 'chat.removed' : 'chat.noSuch')
  return (
    <section aria-label={t('chat.conversation')} className="flex min-w-0 flex-1 flex-col">
      <ViewHeader title={isRemoved ? clipLine(removedTitle) || t('nav.untitled') : title} />
      <EmptyState title={title} hint={t(isRemoved ? 'chat.removedHint' : 'chat.noSuchHint')}>
        {isRemoved && (
          <Button disabled={restore.isPending} onClick={() => restore.mutate({ agent, session })}>
            {t('chat.bringBack')}
          </Button>
        )}
        <Button look={isRemoved ? 'plain' : 'primary'} onClick={() => navigate(paths.chat())}>
          {t('nav.newChat')}
        </Button>
      </EmptyState>
    </section>
  )
}

interface OpenChatProps {
  readonly session: string | undefined
  readonly chat: UseQueryResult<Awaited<ReturnType<typeof client.chats.get>>>
}

function OpenChat({ session, chat }: OpenChatProps) {
  const agent = useAgent()
  const hash = useHash()
  const [isPanelOpen, setIsPanelOpen] = useState(false)
  const [selectedTurn, setSelectedTurn] = useState<string>()
  const [editedMessage, setEditedMessage] = useState<string>()
  const [isReopened, setIsReopened] = useState(false)
  const [kind, setKind] = useState<ChatKind>({ isWithoutMemory: false, isPrivate: undefined })
  useFollowedTurn(session)
  const isRunning = useLive(session, (turn) => turn.isRunning)
  const messagesView = useRef<ChatMessagesHandle>(null)
  const composerHandle = useRef<ComposerHandle>(null)
  const newSession = useRef<Promise<string | undefined>>(undefined)
  const onEdit = useCallback((message: string | undefined) => {
    setEditedMessage(message)
    if (message === undefined) composerHandle.current?.focus()
  }, [])
  const actions = useCreateChatActions(session ?? '', onEdit, setSelectedTurn)
  const { data } = chat
  const turns = useMemo(() => toTurns(data?.messages ?? [], data?.events), [data])
  const turnCount = turns.filter(({ question }) => question !== undefined).length
  const sessions = useQuery(api.chats.list.queryOptions({ input: { agent: agent.id } }))
  const summary = sessions.data?.find(({ id }) => id === session)
  const title = session === undefined ? t('nav.newChat') : clipLine(summary?.title ?? '') || t('nav.untitled')
  const hasEnded = data?.over === true && !isReopened && !isRunning

  const openStarted = useCallback(
    (started: string) => {
      moveDraft(agent.id, session, started)
      navigate(paths.chat(started))
    },
    [agent.id, session],
  )
  const send = useCallback(
    async (outgoing: OutgoingMessage) => {
      const targetSession = session ?? (await newSession.current)
      const message = {
        ...outgoing,
        agent: agent.id,
        session: targetSession,
        reopen: isReopened,
        withoutMemory: kind.isWithoutMemory,
        isPrivate: kind.isPrivate,
      }
      // Offline: the message waits in the outbox and appears in the chat.
      if (connection.state !== 'open') {
        outbox.add(message)
        return undefined
      }
      const request = outbox.sendNow(message)
      if (targetSession === undefined)
        newSession.current = request.then((result) => ('sent' in result ? result.sent.session : undefined))
      const result = await request
      if ('rejected' in result) return { text: result.rejected.text, attachments: [...result.rejected.attachments] }
      if (result.sent.session !== session) openStarted(result.sent.session)
      messagesView.current?.follow()
      return undefined
    },
    [agent.id, session, isReopened, kind, openStarted],
  )
  useEffect(() => {
    if (session !== undefined) return undefined
    return outbox.onChatStarted((started) => {
      if (started.agent === agent.id) openStarted(started.session)
    })
  }, [agent.id, session, openStarted])
  const stop = useMutation(api.chat.stop.mutationOptions())
  const editLast = () => setEditedMessage(turns.findLast(({ question }) => question !== undefined)?.question?.id)
  const { isDragOver, ...dropTarget } = useDropTarget((files) => composerHandle.current?.attach(files))
  const detailsTurn = turns.find(({ id }) => id === selectedTurn) ?? turns.at(-1)
  const isEmpty = session === undefined || (data && turns.length === 0 && !isRunning)
  return (
    <ChatActionsContext value={actions}>
      <section
        aria-label={t('chat.conversation')}
        className={`relative flex min-w-0 flex-1 flex-col ${isDragOver ? 'outline-2 -outline-offset-4 outline-accent outline-dashed' : ''}`}
        {...dropTarget}
      >
        <ViewHeader title={title} aside={turnCount > 0 ? t('chat.turns', { count: turnCount }) : undefined}>
          {summary && <ChatMenu summary={summary} />}
          <IconButton
            icon={PanelRight}
            label={t('chat.details')}
            aria-pressed={isPanelOpen}
            onClick={() => setIsPanelOpen(!isPanelOpen)}
          />
        </ViewHeader>
        {isEmpty && !chat.error ? (
          <div className="flex-1 overflow-y-auto">
            <StartPage onPropose={(text) => composerHandle.current?.prepend(text)} />
          </div>
        ) : (
          <div className="flex min-h-0 flex-1 flex-col">
            <QueryView query={chat} lines={7}>
              {({ skippedLines }) => (
                <ErrorBoundary piece="view" variant="view" resetKey={data}>
                  <Suspense fallback={<div className="flex-1" />}>
                    <ChatMessages
                      ref={messagesView}
                      turns={turns}
                      skippedLines={skippedLines}
                      editedMessage={editedMessage}
                      targetMessage={messageOfHash(hash)}
                    />
                  </Suspense>
                </ErrorBoundary>
              )}
            </QueryView>
          </div>
        )}
        <OutboxList
          session={session}
          onTakeBack={({ text, attachments }) => composerHandle.current?.prepend(text, attachments)}
        />
        {session !== undefined && (
          <QueuedMessages session={session} onTakeBack={(text) => composerHandle.current?.prepend(text)} />
        )}
        {hasEnded && (
          <p className="mx-auto flex w-full max-w-[740px] items-center gap-3 px-6 pb-2 text-[12px] text-muted">
            {t('chat.over')}
            <Button look="link" onClick={() => setIsReopened(true)}>
              {t('chat.goOnHere')}
            </Button>
          </p>
        )}
        {session === undefined ? (
          <ChatKindSwitches kind={kind} onChange={setKind} />
        ) : (
          <>
            {data?.summary.isPrivate && <PrivateNote session={session} />}
            {data?.summary.isWithoutMemory && <WithoutMemoryNote session={session} />}
          </>
        )}
        <Composer
          ref={composerHandle}
          session={session}
          isPrivate={data?.summary.isPrivate ?? kind.isPrivate ?? agent.isPrivateByDefault}
          isRunning={isRunning}
          onSend={send}
          onStop={() => session !== undefined && stop.mutate({ agent: agent.id, session })}
          onEditLast={editLast}
          {...(isEmpty && { onSearch: (text: string) => navigate(paths.search(text)) })}
        />
      </section>
      <PrivateLinesDialog />
      {isPanelOpen && (
        <ErrorBoundary piece="part" resetKey={detailsTurn}>
          <Details session={session} turn={detailsTurn} onClose={() => setIsPanelOpen(false)} />
        </ErrorBoundary>
      )}
    </ChatActionsContext>
  )
}

function useDropTarget(onFiles: (files: readonly File[]) => void) {
  const [isDragOver, setIsDragOver] = useState(false)
  const acceptFiles = (event: DragEvent, isOver: boolean) => {
    if (!event.dataTransfer.types.includes('Files')) return false
    event.preventDefault()
    setIsDragOver(isOver)
    return true
  }
  return {
    isDragOver,
    onDragLeave({ currentTarget, relatedTarget }: DragEvent) {
      const isInside = relatedTarget instanceof Node && currentTarget.contains(relatedTarget)
      if (!isInside) setIsDragOver(false)
    },
    onDragOver: (event: DragEvent) => acceptFiles(event, true),
    onDrop: (event: DragEvent) => {
      if (acceptFiles(event, false)) onFiles([...event.dataTransfer.files])
    },
  }
}

/** @param onPropose puts a text into the composer without sending it */
function StartPage({ onPropose }: { onPropose: (text: string) => void }) {
  const { workspace } = useAgent()
  return (
    <div
      className="mx-auto flex w-full max-w-[740px] flex-col gap-7 px-8 py-8 max-sm:px-4 max-sm:py-5"
      data-testid="start"
    >
      <header className="flex flex-col gap-2">
        <h2 className="text-[17px] font-semibold">{t('chat.empty')}</h2>
        <p className="text-muted">{t('chat.emptyHint', { workspace })}</p>
        <p className="flex flex-wrap gap-2 pt-1">
          {[t('chat.sample1'), t('chat.sample2'), t('chat.sample3')].map((sample) => (
            <Button key={sample} onClick={() => onPropose(sample.replace(/…$/, ''))}>
              {sample}
            </Button>
          ))}
        </p>
      </header>
      <div className="grid gap-x-10 gap-y-7 sm:grid-cols-2">
        {[TodaysLog, ChangedFiles, PendingDecisions, RecentChats].map((Part, index) => (
          <ErrorBoundary key={index} piece="part">
            <Part />
          </ErrorBoundary>
        ))}
      </div>
    </div>
  )
}

const maxFiles = 5
const maxChanges = 200
const decisionDays = 6
const maxChats = 5
const maxEntries = 5
function ChangedFiles() {
  const { id: agent } = useAgent()
  const nameOf = useCauseName()
  const [since] = useState(() => startOfDay(1))
  const { data = [] } = useQuery(api.history.timeline.queryOptions({ input: { agent, since, limit: maxChanges } }))
  // Files from before the history began have no change to show.
  const recorded = data.filter(({ cause }) => cause !== 'adopted')
  const files = [...Map.groupBy(recorded, ({ now }) => now)]
  if (files.length === 0) return null
  return (
    <Section title={t('start.changed')}>
      {files.slice(0, maxFiles).map(([path, changes]) => (
        <Link key={path} href={changes[0]?.exists ? paths.file(path) : paths.changes()} className={rowClass}>
          <span className={`min-w-0 truncate font-mono text-[12px] ${changes[0]?.exists ? '' : 'line-through'}`}>
            {path}
          </span>
          <span className="min-w-0 flex-1 truncate text-[12px] text-muted">
            {[...new Set(changes.map(nameOf))].join(' · ')}
          </span>
          <Counts
            change={{
              added: changes.reduce((sum, { added }) => sum + added, 0),
              removed: changes.reduce((sum, { removed }) => sum + removed, 0),
            }}
          />
        </Link>
      ))}
      <TextLink href={paths.changes()} className="inline-flex min-h-7 items-center">
        {files.length > maxFiles ? t('start.moreFiles', { count: files.length - maxFiles }) : t('start.allChanges')}
      </TextLink>
    </Section>
  )
}

function PendingDecisions() {
  const { id: agent } = useAgent()
  const [since] = useState(() => startOfDay(decisionDays))
  const changes = useQuery(
    api.history.timeline.queryOptions({ input: { agent, since, causes: ['agent', 'flush'], limit: maxChanges } }),
  )
  const checks = useQuery(api.savedSearches.list.queryOptions({ input: { agent } }))
  const problems = useQuery(api.health.problems.queryOptions({ input: { agent } }))
  const unacceptedCount = changes.data?.filter(({ reviewed }) => !reviewed).length ?? 0
  const failedCount = checks.data?.checks.filter(({ outcome }) => outcome !== null && outcome.rank === null).length ?? 0
  const problemCount = problems.data?.filter(({ level }) => level !== 'note').length ?? 0
  const rows = [
    { count: unacceptedCount, href: paths.changes(), text: t('start.unseen', { count: unacceptedCount }) },
    { count: failedCount, href: paths.checks(), text: t('start.failing', { count: failedCount }) },
    { count: problemCount, href: paths.settings('health'), text: t('status.problems', { count: problemCount }) },
  ].filter(({ count }) => count > 0)
  if (rows.length === 0) return null
  return (
    <Section title={t('start.decisions')}>
      {rows.map(({ href, text }) => (
        <Link key={href} href={href} className={rowClass}>
          <CircleHelp size={13} aria-hidden className="shrink-0 self-center text-muted" />
          <span className="min-w-0 truncate">{text}</span>
        </Link>
      ))}
    </Section>
  )
}

function RecentChats() {
  const { id: agent } = useAgent()
  const { data = [] } = useQuery(api.chats.list.queryOptions({ input: { agent } }))
  const recent = data.toSorted((a, b) => b.updatedAt - a.updatedAt).slice(0, maxChats)
  if (recent.length === 0) return null
  return (
    <Section title={t('start.chats')}>
      {recent.map(({ id, title, updatedAt, isPrivate }) => (
        <Link key={id} href={paths.chat(id)} className={rowClass}>
          {isPrivate && <PrivateMark label={t('chats.private')} />}
          <span className="min-w-0 flex-1 truncate">{clipLine(title) || t('nav.untitled')}</span>
          <span className="tabular shrink-0 text-[12px] text-muted">{formatMoment(updatedAt)}</span>
        </Link>
      ))}
    </Section>
  )
}

function TodaysLog() {
  const { id: agent } = useAgent()
  const path = useDailyPath(agent)(useToday())
  const files = useQuery(api.workspace.list.queryOptions({ input: { agent } }))
  const hasLog = files.data?.some((file) => file.path === path) ?? false
  const log = useQuery(api.workspace.read.queryOptions({ input: hasLog ? { agent, path } : skipToken }))
  const entries = useMemo(() => logEntries(log.data?.text ?? ''), [log.data])
  return (
    <Section title={t('start.today')}>
      {entries.slice(0, maxEntries).map(({ time, text, line }) => (
        <Link key={line} href={paths.file(path, line)} className={rowClass}>
          {time !== '' && <span className="tabular shrink-0 text-[12px] text-muted">{time}</span>}
          <span className="min-w-0 truncate">{clipLine(withoutMarks(text), 200)}</span>
        </Link>
      ))}
      {files.data && !hasLog && <p className="text-muted">{t('start.nothingToday')}</p>}
      {files.data && (
        <TextLink href={paths.file(path)} className="inline-flex min-h-7 items-center">
          {t(hasLog ? 'start.openLog' : 'start.beginLog')}
        </TextLink>
      )}
    </Section>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="min-w-0">
      <h3 className="pb-1.5 text-[11px] font-medium tracking-wide text-muted uppercase">{title}</h3>
      {children}
    </section>
  )
}

const rowClass = 'flex min-h-7 min-w-0 items-baseline gap-2 rounded-sm px-1.5 py-0.5 -mx-1.5 hover:bg-soft'
