import { ORPCError } from '@orpc/client'
import { useSyncExternalStore } from 'react'
import { t } from 'i18next'
import type { Attachment, PermissionRequest, QueuedMessage } from '#shared/contract/index.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { client, connection, api, queryClient } from '#lib/api/client.ts'
import { isErrorOf, explainError, showError } from '#lib/feedback/toast.ts'
import { Button, IconButton } from '#lib/ui/elements.tsx'
import { Dialog } from '#lib/ui/frames.tsx'
import { clipLine, clipPassage, limitCombiningMarks } from '#lib/util/clip.ts'
import { EventEmitter } from '#shared/util/events.ts'
import type { OutgoingMessage } from './composer.tsx'
import { Clock, CornerDownRight, X } from 'lucide-react'
import { AttachmentChip } from './attachments.tsx'
import { skipToken, useMutation, useQuery } from '@tanstack/react-query'
import { useLive } from '../live-turn.ts'

type PrivacyDecision = 'makePrivate' | 'remove' | 'send' | 'cancel'

/** The question what to do with the private lines of a message. It is open until `decide` is called. */
interface PrivacyQuestion {
  readonly lines: readonly string[]
  readonly decide: (decision: PrivacyDecision) => void
}

const maxShownLines = 5

const questionKey = ['private lines']

function askAboutPrivateLines(lines: readonly string[]): Promise<PrivacyDecision> {
  queryClient.getQueryData<PrivacyQuestion | null>(questionKey)?.decide('cancel')
  const { promise, resolve } = Promise.withResolvers<PrivacyDecision>()
  queryClient.setQueryData<PrivacyQuestion>(questionKey, { lines, decide: resolve })
  return promise.finally(() => queryClient.setQueryData(questionKey, null))
}

type SendResult =
  | { readonly sent: Awaited<ReturnType<typeof client.chat.send>> }
  | { readonly rejected: { readonly text: string; readonly attachments: readonly Attachment[] } }

/** Sends a message. Shows an error as a toast. @returns the draft to keep if the message was not sent */
export async function sendMessage(message: Parameters<typeof client.chat.send>[0]): Promise<SendResult> {
  const { text, attachments = [], agent, session } = message
  try {
    return { sent: await client.chat.send(message) }
  } catch (error) {
    if (!(error instanceof ORPCError) || !isErrorOf(error, 'message_private')) {
      showError(error)
      return { rejected: { text, attachments } }
    }
    const lines = String((error.data as { lines?: unknown }).lines).split('\n')
    const decision = await askAboutPrivateLines(lines)
    if (decision === 'send') return sendMessage({ ...message, sendAnyway: true })
    if (decision === 'makePrivate') {
      if (session !== undefined) await client.chats.makePrivate({ agent, session }).catch(showError)
      return sendMessage({ ...message, isPrivate: true })
    }
    const removed = new Set(decision === 'remove' ? lines : [])
    const withoutRemoved = <T extends { text: string }>(part: T): T => {
      const kept = part.text.split('\n').filter((line) => !removed.has(line.trim()))
      return { ...part, text: kept.join('\n') }
    }
    const cleaned = attachments.map((attachment) =>
      attachment.type === 'file' ? withoutRemoved(attachment) : attachment,
    )
    return { rejected: { ...withoutRemoved({ text }), attachments: cleaned } }
  }
}

export function PrivateLinesDialog() {
  const { data: current } = useQuery<PrivacyQuestion | null>({ queryKey: questionKey, queryFn: skipToken })
  if (!current) return null
  const { lines, decide } = current
  return (
    <Dialog
      title={t('chat.privateLines.title', { count: lines.length })}
      action={t('chat.privateLines.makePrivate')}
      focusesAction
      className="top-[22vh] w-[min(560px,92vw)]"
      aside={
        <>
          <Button look="quiet" onClick={() => decide('send')}>
            {t('chat.privateLines.send')}
          </Button>
          <Button look="quiet" onClick={() => decide('remove')}>
            {t('chat.privateLines.remove', { count: lines.length })}
          </Button>
        </>
      }
      onSubmit={() => decide('makePrivate')}
      onClose={() => decide('cancel')}
    >
      <p>{t('chat.privateLines.hint')}</p>
      <LineList lines={lines} />
    </Dialog>
  )
}

export function LineList({ lines, count = lines.length }: { lines: readonly string[]; count?: number }) {
  const shown = lines.slice(0, maxShownLines).map((line) => clipLine(line))
  return (
    <pre className="rounded-sm bg-side p-2 font-mono text-[12px] break-words whitespace-pre-wrap">
      {shown.join('\n')}
      {count > shown.length && `\n${t('chat.privateLines.more', { count: count - shown.length })}`}
    </pre>
  )
}

interface OutboxMessage extends OutgoingMessage {
  readonly id: string
  readonly agent: string
  /** Undefined if the message starts a new chat. */
  readonly session: string | undefined
  readonly reopen: boolean
  readonly withoutMemory: boolean
  readonly isPrivate: boolean | undefined
  /** Set if the message was rejected, or `unknown` if it may have arrived. The user must retry or remove it. */
  readonly problem?: string
}

const storageName = 'commonplace:unsent'
const showSendingAfterMs = 600
const checkConnectionAfterMs = 2500

type NewMessage = Omit<OutboxMessage, 'id' | 'problem'>

/**
 * Messages that the app has not received yet. They survive a reload of the tab. Those that were sent while offline are
 * sent in order after reconnecting; until then the user can take them back. A message whose connection fails, or whose
 * tab is reloaded, during sending is not sent again automatically, since it may have arrived.
 */
class Outbox {
  messages: readonly OutboxMessage[] = loadMessages()
  #isSending = false
  /** By id of a message that is being sent now; others wait. It is shown only if the sending takes long. */
  readonly sending = new Map<string, 'hidden' | 'shown'>()
  readonly #changes = new EventEmitter()
  readonly subscribe = this.#changes.subscribe
  readonly #startedChats = new EventEmitter<{ readonly agent: string; readonly session: string }>()
  readonly onChatStarted = this.#startedChats.subscribe

  /** Sends a message at once. It is stored until the app has it. @returns as `sendMessage` */
  async sendNow(message: NewMessage): Promise<SendResult> {
    const id = crypto.randomUUID()
    this.sending.set(id, 'hidden')
    this.#setMessages([...this.messages, { ...message, id, problem: 'unknown' }])
    const isCommand = message.text.startsWith('/')
    const showTimer = setTimeout(() => {
      // The answer to a command can take long although the command has arrived.
      this.sending.set(id, isCommand ? 'hidden' : 'shown')
      this.#setMessages([...this.messages])
    }, showSendingAfterMs)
    const checkTimer = setTimeout(() => void connection.check(), checkConnectionAfterMs)
    const result = await sendMessage({ ...message, attachments: [...message.attachments] })
    clearTimeout(showTimer)
    clearTimeout(checkTimer)
    this.sending.delete(id)
    this.remove(id)
    return result
  }

  /** Sends a message after those that wait. */
  add(message: NewMessage): void {
    this.#setMessages([...this.messages, { ...message, id: crypto.randomUUID() }])
    void this.send()
  }

  remove(id: string): void {
    this.#setMessages(this.messages.filter((message) => message.id !== id))
  }

  retry(id: string): void {
    const withoutProblem = ({ problem: _problem, ...message }: OutboxMessage): OutboxMessage => message
    this.#setMessages(this.messages.map((message) => (message.id === id ? withoutProblem(message) : message)))
    void this.send()
  }

  /** Sends the waiting messages one after the other. Stops when the connection is lost. */
  async send(): Promise<void> {
    if (this.#isSending) return
    this.#isSending = true
    try {
      for (;;) {
        const next = this.messages.find(({ problem }) => problem === undefined)
        if (!next || connection.state !== 'open') return
        await this.#sendOne(next)
      }
    } finally {
      this.#isSending = false
    }
  }

  async #sendOne({ id, problem: _problem, ...message }: OutboxMessage): Promise<void> {
    const { agent, session, attachments } = message
    try {
      const sent = await client.chat.send({ ...message, attachments: [...attachments] })
      // Other messages for the same new chat continue in it.
      const continues = (other: OutboxMessage) =>
        session === undefined && other.session === undefined && other.agent === agent
      const others = this.messages.filter((other) => other.id !== id)
      this.#setMessages(others.map((other) => (continues(other) ? { ...other, session: sent.session } : other)))
      if (session === undefined) this.#startedChats.emit({ agent, session: sent.session })
    } catch (error) {
      const problem = error instanceof ORPCError ? explainError(error) : 'unknown'
      this.#setMessages(this.messages.map((message) => (message.id === id ? { ...message, problem } : message)))
    }
  }

  #setMessages(messages: readonly OutboxMessage[]): void {
    this.messages = messages
    try {
      sessionStorage.setItem(storageName, JSON.stringify(messages))
    } catch {
      // The storage quota is exceeded: the messages stay in memory until the tab closes.
    }
    this.#changes.emit()
  }
}

function loadMessages(): readonly OutboxMessage[] {
  try {
    const parsed: unknown = JSON.parse(sessionStorage.getItem(storageName) ?? '[]')
    return Array.isArray(parsed) ? parsed.filter(isOutboxMessage) : []
  } catch {
    return []
  }
}

function isOutboxMessage(value: unknown): value is OutboxMessage {
  if (typeof value !== 'object' || value === null) return false
  const { id, agent, text, attachments } = value as Record<string, unknown>
  return [id, agent, text].every((field) => typeof field === 'string') && Array.isArray(attachments)
}

export const outbox = new Outbox()

export function sendOnReconnect(): void {
  connection.onChange(() => void outbox.send())
  void outbox.send()
}

interface OutboxListProps {
  readonly session: string | undefined
  readonly onTakeBack: (message: OutgoingMessage) => void
}

export function OutboxList({ session, onTakeBack }: OutboxListProps) {
  const { id: agent } = useAgent()
  const waiting = useSyncExternalStore(outbox.subscribe, () => outbox.messages).filter(
    (message) => message.agent === agent && message.session === session && outbox.sending.get(message.id) !== 'hidden',
  )
  if (waiting.length === 0) return null
  const takeBack = (message: OutboxMessage) => {
    outbox.remove(message.id)
    onTakeBack(message)
  }
  const stateOf = ({ problem = 'waiting' }: OutboxMessage) =>
    problem === 'waiting' || problem === 'unknown' ? t(`chat.unsent.${problem}`) : problem
  return (
    <ul
      aria-label={t('chat.unsent.title')}
      data-testid="unsent"
      className="mx-auto flex max-h-[40vh] w-full max-w-[740px] flex-col gap-2 overflow-y-auto px-8 pb-2"
    >
      {waiting.map((message) => (
        <li key={message.id} className="flex flex-col items-end gap-1">
          {message.attachments.length > 0 && (
            <div className="flex flex-wrap justify-end gap-1.5">
              {message.attachments.map(({ name }, index) => (
                <AttachmentChip key={index} name={name} />
              ))}
            </div>
          )}
          {message.text !== '' && (
            <p className="max-w-[80%] rounded-lg rounded-br-sm border border-dashed border-line bg-side px-3.5 py-2 break-words whitespace-pre-wrap text-muted">
              {limitCombiningMarks(clipPassage(message.text))}
            </p>
          )}
          <p role="status" className="flex flex-wrap items-center justify-end gap-x-3 text-[12px] text-muted">
            <Clock size={12} aria-hidden />
            {outbox.sending.get(message.id) === 'shown' ? (
              <span>{t('chat.unsent.sending')}</span>
            ) : (
              <>
                <span className={message.problem === undefined ? '' : 'text-warning'}>{stateOf(message)}</span>
                {message.problem !== undefined && (
                  <Button look="link" onClick={() => outbox.retry(message.id)}>
                    {t('chat.send')}
                  </Button>
                )}
                <Button look="link" onClick={() => takeBack(message)}>
                  {t('common.cancel')}
                </Button>
              </>
            )}
          </p>
        </li>
      ))}
    </ul>
  )
}

export function QueuedMessages({ session, onTakeBack }: { session: string; onTakeBack: (text: string) => void }) {
  const target = { agent: useAgent().id, session }
  const { permissions, queue, isRunning } = useLive(session, ({ permissions, queue, isRunning }) => ({
    permissions,
    queue,
    isRunning,
  }))
  const takeBack = useMutation({
    mutationFn: ({ id }: QueuedMessage) => client.chat.unqueue({ ...target, id }),
    onSuccess: (_result, { text }) => onTakeBack(text),
  })
  const remove = useMutation(api.chat.unqueue.mutationOptions())
  const send = useMutation(api.chat.sendQueued.mutationOptions())
  if (permissions.length === 0 && queue.length === 0) return null
  return (
    <div className="mx-auto flex w-full max-w-[740px] flex-col gap-2 px-5 pb-2">
      {permissions.map((permission) => (
        <PermissionCard key={permission.id} target={target} permission={permission} />
      ))}
      {queue.length > 0 && (
        <ul aria-label={t('queue.title')} className="flex flex-col gap-1" data-testid="queue">
          {queue.map((message) => (
            <li
              key={message.id}
              className="flex min-h-8 items-center gap-2 rounded-md border border-line bg-side px-3 text-[13px]"
            >
              <CornerDownRight size={13} aria-hidden className="shrink-0 text-muted" />
              <span className="min-w-0 flex-1 truncate">{message.text}</span>
              <span className="shrink-0 text-[12px] text-muted">
                {t(`queue.${isRunning ? message.delivery : 'waiting'}`)}
              </span>
              <Button look="link" onClick={() => takeBack.mutate(message)}>
                {t('queue.edit')}
              </Button>
              <IconButton
                icon={X}
                label={t('queue.remove')}
                onClick={() => remove.mutate({ ...target, id: message.id })}
              />
            </li>
          ))}
          {!isRunning && (
            <li className="flex justify-end">
              <Button onClick={() => send.mutate(target)}>{t('queue.send')}</Button>
            </li>
          )}
        </ul>
      )}
    </div>
  )
}

export type ChatAddress = Parameters<typeof client.chat.stop>[0]

function PermissionCard({ target, permission }: { target: ChatAddress; permission: PermissionRequest }) {
  const { id, server, tool, input } = permission
  const permit = useMutation(api.chat.permit.mutationOptions())
  return (
    <section
      aria-label={t('permission.title')}
      className="flex flex-col gap-2 rounded-md border border-line bg-raised px-3.5 py-3 shadow-float"
      data-testid="permission"
    >
      <p className="font-medium">{t('permission.question', { server, tool })}</p>
      <pre className="max-h-40 overflow-auto rounded-sm bg-side p-2 font-mono text-[12px] whitespace-pre-wrap">
        {input}
      </pre>
      <div className="flex flex-wrap gap-2">
        {(['once', 'always', 'deny', 'never'] as const).map((decision) => (
          <Button
            key={decision}
            look={decision === 'once' ? 'primary' : decision === 'never' ? 'quiet' : 'plain'}
            onClick={() => permit.mutate({ ...target, id, decision })}
          >
            {t(`permission.${decision}`)}
          </Button>
        ))}
      </div>
    </section>
  )
}
