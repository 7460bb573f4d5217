import { Clock } from 'lucide-react'
import { t } from 'i18next'
import { Button } from '#lib/ui/button.tsx'
import { clipPassage, limitCombiningMarks } from '#lib/util/clip.ts'
import { AttachmentChip } from './attachment-chip.tsx'
import type { OutgoingMessage } from './composer.tsx'
import { outbox, useOutboxMessages, type OutboxMessage } from './outbox.ts'

interface OutboxListProps {
  readonly agent: string
  readonly session: string | undefined
  readonly onTakeBack: (message: OutgoingMessage) => void
}

export function OutboxList({ agent, session, onTakeBack }: OutboxListProps) {
  const waiting = useOutboxMessages(agent, session)
  if (waiting.length === 0) return null
  const takeBack = (message: OutboxMessage) => {
    outbox.remove(message.id)
    onTakeBack(message)
  }
  return (
    <ul
      aria-label={t('chat.unsent.title')}
      data-testid="unsent"
      className="mx-auto flex max-h-[40vh] w-full max-w-[740px] flex-col gap-2 overflow-y-auto px-8 pb-2"
    >
      {waiting.map((message) => (
        <Item key={message.id} message={message}>
          {outbox.isShownAsSending(message.id) ? (
            <span>{t('chat.unsent.sending')}</span>
          ) : (
            <WaitingState message={message} onTakeBack={() => takeBack(message)} />
          )}
        </Item>
      ))}
    </ul>
  )
}

function WaitingState({ message: { id, problem }, onTakeBack }: { message: OutboxMessage; onTakeBack: () => void }) {
  return (
    <>
      <span className={problem === undefined ? '' : 'text-warning'}>
        {problem === undefined ? t('chat.unsent.waiting') : problem === 'unknown' ? t('chat.unsent.unknown') : problem}
      </span>
      {problem !== undefined && (
        <Button look="link" onClick={() => outbox.retry(id)}>
          {t('chat.send')}
        </Button>
      )}
      <Button look="link" onClick={onTakeBack}>
        {t('common.cancel')}
      </Button>
    </>
  )
}

function Item({ message: { text, attachments }, children }: { message: OutgoingMessage; children: React.ReactNode }) {
  return (
    <li className="flex flex-col items-end gap-1">
      {attachments.length > 0 && (
        <div className="flex flex-wrap justify-end gap-1.5">
          {attachments.map(({ name }, index) => (
            <AttachmentChip key={index} name={name} />
          ))}
        </div>
      )}
      {text !== '' && (
        <p className="max-w-[80%] rounded-lg rounded-br-sm border border-dashed border-line bg-side px-3.5 py-2 break-words whitespace-pre-wrap text-muted">
          {limitCombiningMarks(clipPassage(text))}
        </p>
      )}
      <p role="status" className="flex flex-wrap items-center justify-end gap-x-3 text-[12px] text-muted">
        <Clock size={12} aria-hidden />
        {children}
      </p>
    </li>
  )
}
