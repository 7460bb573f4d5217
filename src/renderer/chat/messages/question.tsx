import { useRef, useState } from 'react'
import { t } from 'i18next'
import { splitAttachments, type RecalledNotes, type UserMessage } from '#shared/chat/messages.ts'
import { useDraft } from '#lib/drafts/use-draft.ts'
import { Button } from '#lib/ui/button.tsx'
import { clipPassage, limitCombiningMarks } from '#lib/util/clip.ts'
import { ShowAll } from '#lib/ui/long-text.tsx'
import { AttachmentChip } from '../composer/attachment-chip.tsx'
import { useChatActions } from '../chat-actions.ts'
import { QuestionActions } from './message-actions.tsx'
import { SearchDetails } from './tool-call.tsx'
import type { Question } from './turns.ts'

export function QuestionView({ question }: { question: Question }) {
  const { text, files, images } = splitAttachments(question.message)
  const clipped = clipPassage(text)
  return (
    <div className="group/message flex flex-col items-end">
      <div className="flex max-w-[80%] flex-col items-end gap-1.5">
        <Attachments files={files} images={images} />
        {text !== '' && (
          <div className="prose rounded-lg rounded-br-sm border border-line bg-side px-3.5 py-2 whitespace-pre-wrap">
            <span className="sr-only">{t('chat.you')}: </span>
            {limitCombiningMarks(clipped)}
            {clipped.length < text.length && (
              <div>
                <ShowAll text={text} />
              </div>
            )}
          </div>
        )}
      </div>
      {question.message.recalled && <RecalledLine recalled={question.message.recalled} />}
      <QuestionActions question={question} text={text} />
    </div>
  )
}

function RecalledLine({ recalled: { search } }: { recalled: RecalledNotes }) {
  const { agent } = useChatActions()
  return (
    <details className="max-w-[80%] text-[12px] text-muted" data-testid="recalled">
      <summary className="cursor-pointer rounded-sm text-right hover:text-text">
        {t('chat.recalled', { count: search.results.length })}
      </summary>
      <SearchDetails agent={agent.id} recall={search} />
    </details>
  )
}

function Attachments({ files, images }: Pick<ReturnType<typeof splitAttachments>, 'files' | 'images'>) {
  if (files.length === 0 && images.length === 0) return null
  return (
    <div className="flex flex-wrap justify-end gap-1.5">
      {images.map(({ data, mimeType }, index) => (
        <img
          key={index}
          src={`data:${mimeType};base64,${data}`}
          alt={t('chat.picture', { number: index + 1 })}
          className="max-h-60 max-w-full rounded-md border border-line"
        />
      ))}
      {files.map(({ name }, index) => (
        <AttachmentChip key={index} name={name} />
      ))}
    </div>
  )
}

/** Edits a sent message. Sending it starts a new branch; later messages stay on the old one. */
export function QuestionEditor({ question }: { question: Question }) {
  const { agent, edit, sendEdited } = useChatActions()
  const [sentText] = useState(() => splitAttachments(question.message as UserMessage).text)
  const field = useRef<HTMLTextAreaElement>(null)
  const { draft, change, clear } = useDraft(agent.id, `edit-${question.id}`)
  const [isEdited, setIsEdited] = useState(false)
  const text = isEdited || draft.text !== '' ? draft.text : sentText
  const setText = (next: string) => {
    setIsEdited(true)
    change(() => ({ text: next, attachments: [] }))
  }
  const [isSending, setIsSending] = useState(false)
  const send = async () => {
    if (text.trim() === '' || isSending) return
    setIsSending(true)
    const isAccepted = await sendEdited(question.id, text.trim())
    if (isAccepted) clear()
    else setIsSending(false)
  }
  return (
    <div className="flex flex-col gap-2 rounded-lg border border-accent bg-raised px-3.5 py-2.5">
      <textarea
        ref={field}
        autoFocus
        value={text}
        aria-label={t('chat.edit')}
        onChange={(event) => setText(event.target.value)}
        onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') edit(undefined)
          if (event.key !== 'Enter' || event.shiftKey) return
          event.preventDefault()
          void send()
        }}
        className="max-h-[40vh] w-full resize-none bg-transparent text-[14px] leading-relaxed outline-none [field-sizing:content]"
      />
      <div className="flex flex-wrap justify-end gap-2">
        {text !== sentText && (
          <Button
            look="quiet"
            onClick={() => {
              clear()
              setIsEdited(false)
              field.current?.focus()
            }}
          >
            {t('draft.fromSent')}
          </Button>
        )}
        <Button look="quiet" onClick={() => edit(undefined)}>
          {t('common.cancel')}
        </Button>
        <Button look="primary" disabled={text.trim() === '' || isSending} onClick={() => void send()}>
          {t('chat.send')}
        </Button>
      </div>
    </div>
  )
}
