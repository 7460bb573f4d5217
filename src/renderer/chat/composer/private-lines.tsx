/** Asks what to do with a message to an open chat that has private lines. */
import { ORPCError } from '@orpc/client'
import { useSyncExternalStore } from 'react'
import { t } from 'i18next'
import type { Attachment } from '#shared/contract/index.ts'
import { client } from '#lib/api/client.ts'
import { isErrorOf } from '#lib/feedback/explain.ts'
import { showError } from '#lib/feedback/toast.ts'
import { Button } from '#lib/ui/controls.tsx'
import { Dialog } from '#lib/ui/dialog.tsx'
import { clipLine } from '#lib/util/clip.ts'

type Message = Parameters<typeof client.chat.send>[0]
type Answer = 'makePrivate' | 'remove' | 'send' | 'cancel'

interface Question {
  readonly lines: readonly string[]
  readonly answer: (answer: Answer) => void
}

const maxShownLines = 5

let question: Question | undefined
const listeners = new Set<() => void>()

function setQuestion(next: Question | undefined): void {
  question = next
  for (const listener of listeners) listener()
}

function ask(lines: readonly string[]): Promise<Answer> {
  question?.answer('cancel')
  const { promise, resolve } = Promise.withResolvers<Answer>()
  setQuestion({ lines, answer: resolve })
  return promise.finally(() => setQuestion(undefined))
}

type SendResult =
  | { readonly sent: Awaited<ReturnType<typeof client.chat.send>> }
  | { readonly rejected: { readonly text: string; readonly attachments: readonly Attachment[] } }

/** Sends a message. Shows an error as a toast. @returns the draft to keep if the message was not sent */
export async function sendMessage(message: Message): Promise<SendResult> {
  const { text, attachments = [], agent, session } = message
  try {
    return { sent: await client.chat.send(message) }
  } catch (error) {
    if (!(error instanceof ORPCError) || !isErrorOf(error, 'message_private')) {
      showError(error)
      return { rejected: { text, attachments } }
    }
    const lines = String((error.data as { lines?: unknown }).lines).split('\n')
    const answer = await ask(lines)
    if (answer === 'send') return sendMessage({ ...message, sendAnyway: true })
    if (answer === 'makePrivate') {
      if (session !== undefined) await client.sessions.makePrivate({ agent, session }).catch(showError)
      return sendMessage({ ...message, isPrivate: true })
    }
    const removed = new Set(answer === 'remove' ? lines : [])
    const clean = <T extends { text: string }>(part: T): T => {
      const kept = part.text.split('\n').filter((line) => !removed.has(line.trim()))
      return { ...part, text: kept.join('\n') }
    }
    const cleaned = attachments.map((attachment) => (attachment.type === 'file' ? clean(attachment) : attachment))
    return { rejected: { ...clean({ text }), attachments: cleaned } }
  }
}

export function PrivateLinesDialog() {
  const current = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => question,
  )
  if (!current) return null
  const { lines, answer } = current
  return (
    <Dialog
      title={t('chat.privateLines.title', { count: lines.length })}
      action={t('chat.privateLines.makePrivate')}
      focusesAction
      className="top-[22vh] w-[min(560px,92vw)]"
      aside={
        <>
          <Button look="quiet" onClick={() => answer('send')}>
            {t('chat.privateLines.send')}
          </Button>
          <Button look="quiet" onClick={() => answer('remove')}>
            {t('chat.privateLines.remove', { count: lines.length })}
          </Button>
        </>
      }
      onSubmit={() => answer('makePrivate')}
      onClose={() => answer('cancel')}
    >
      <p>{t('chat.privateLines.hint')}</p>
      <LineList lines={lines} />
    </Dialog>
  )
}

/** Shows the first lines and the number of the others. */
export function LineList({ lines, count = lines.length }: { lines: readonly string[]; count?: number }) {
  const shown = lines.slice(0, maxShownLines).map((line) => clipLine(line))
  return (
    <pre className="rounded-sm bg-side p-2 font-mono text-[12px] break-words whitespace-pre-wrap">
      {[...shown, ...(count > shown.length ? [t('chat.privateLines.more', { count: count - shown.length })] : [])].join(
        '\n',
      )}
    </pre>
  )
}
