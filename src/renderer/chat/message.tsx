import { memo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { messageText, splitAttachments, type UserMessage } from '../../shared/messages.ts'
import { Button } from '../ui/button.tsx'
import { AttachmentChip } from './attachment-chip.tsx'
import { useChatActions } from './chat-actions.ts'
import { DiffCard } from './diff-card.tsx'
import { Failure, Interrupted } from './failure.tsx'
import { Markdown } from './markdown/markdown.tsx'
import { AnswerActions, QuestionActions } from './message-actions.tsx'
import { SessionEventView } from './session-event.tsx'
import { ToolLine } from './tool-line.tsx'
import { changeOf, type Answer, type Question, type Turn } from './turns.ts'
import type { LiveTurnFollower } from './live-turn.ts'

interface TurnProps {
  readonly turn: Turn
  readonly isEditing: boolean
  readonly isSelected: boolean
  /** The answer is still being given. */
  readonly isRunning: boolean
  readonly isLast: boolean
  readonly follower: LiveTurnFollower
}

export const TurnView = memo(function TurnView(props: TurnProps) {
  const { turn, isEditing, isSelected, isRunning, isLast, follower } = props
  const { agent, select } = useChatActions()
  const { question, answers, events } = turn
  const last = answers.at(-1)
  const text = answers
    .map(({ message }) => messageText(message))
    .filter(Boolean)
    .join('\n\n')
  const isUnanswered = isLast && !isRunning && question !== undefined && isOpenEnded(last)
  return (
    <article
      className="flex flex-col gap-1"
      onClick={() => select(turn.id)}
      onFocus={() => select(turn.id)}
      data-selected={isSelected}
    >
      {question && (isEditing ? <QuestionEditor question={question} /> : <QuestionView question={question} />)}
      {(answers.length > 0 || isUnanswered) && (
        <div className="group/message flex flex-col gap-3">
          {answers.map((answer) => (
            <AnswerView
              key={answer.id}
              agent={agent.id}
              answer={answer}
              question={question?.id}
              isRunning={isRunning}
              follower={follower}
            />
          ))}
          {isUnanswered && <Interrupted isCrash question={question.id} />}
          {last && question && !isRunning && (
            <AnswerActions id={last.id} question={question.id} text={text} versions={answers[0]?.versions} />
          )}
        </div>
      )}
      {events.map(({ id, event }) => (
        <SessionEventView key={id} agent={agent.id} event={event} />
      ))}
    </article>
  )
})

/** Nothing came, or tools were called and nothing came after: the app ended in the middle. */
function isOpenEnded(last: Answer | undefined): boolean {
  return last === undefined || last.message.stopReason === 'toolUse'
}

function QuestionView({ question }: { question: Question }) {
  const { t } = useTranslation()
  const { text, files, images } = splitAttachments(question.message)
  return (
    <div className="group/message flex flex-col items-end">
      <div className="flex max-w-[80%] flex-col items-end gap-1.5">
        <Attached files={files} images={images} />
        {text !== '' && (
          <div className="prose rounded-lg rounded-br-sm border border-line bg-side px-3.5 py-2 whitespace-pre-wrap">
            <span className="sr-only">{t('chat.you')}: </span>
            {text}
          </div>
        )}
      </div>
      <QuestionActions id={question.id} text={text} versions={question.versions} />
    </div>
  )
}

function Attached({ files, images }: Pick<ReturnType<typeof splitAttachments>, 'files' | 'images'>) {
  const { t } = useTranslation()
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

/** The message as a field again; what follows it stays on the branch that it is on. */
function QuestionEditor({ question }: { question: Question }) {
  const { t } = useTranslation()
  const { edit, sendEdited } = useChatActions()
  const [text, setText] = useState(() => splitAttachments(question.message as UserMessage).text)
  const [isSending, setIsSending] = useState(false)
  const send = async () => {
    if (text.trim() === '' || isSending) return
    setIsSending(true)
    const isTaken = await sendEdited(question.id, text.trim())
    if (!isTaken) setIsSending(false)
  }
  return (
    <div className="flex flex-col gap-2 rounded-lg border border-accent bg-raised px-3.5 py-2.5">
      <textarea
        autoFocus
        value={text}
        aria-label={t('chat.edit')}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing || event.keyCode === 229) return
          if (event.key === 'Escape') edit(undefined)
          if (event.key !== 'Enter' || event.shiftKey) return
          event.preventDefault()
          void send()
        }}
        className="max-h-[40vh] w-full resize-none bg-transparent text-[14px] leading-relaxed outline-none [field-sizing:content]"
      />
      <div className="flex justify-end gap-2">
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

interface AnswerProps {
  readonly agent: string
  readonly answer: Answer
  readonly question: string | undefined
  readonly isRunning: boolean
  readonly follower: LiveTurnFollower
}

function AnswerView({ agent, answer, question, isRunning, follower }: AnswerProps) {
  const { t } = useTranslation()
  const { message, tools } = answer
  const text = messageText(message)
  const thinking = message.content.flatMap((part) => (part.type === 'thinking' ? [part.thinking] : [])).join('\n')
  return (
    <>
      {thinking.trim() !== '' && <Thinking text={thinking} />}
      {text !== '' && (
        <div data-testid="answer">
          <span className="sr-only">{t('chat.assistant', { agent })}: </span>
          <Markdown text={text} agent={agent} />
        </div>
      )}
      {tools.map((step) => {
        const change = changeOf(step)
        return change ? (
          <DiffCard key={step.call.id} agent={agent} change={change} />
        ) : (
          <ToolLine key={step.call.id} step={step} isRunning={isRunning} follower={follower} />
        )
      })}
      {message.stopReason === 'length' && <p className="text-muted">{t('chat.tooLong')}</p>}
      {message.stopReason === 'aborted' && (
        <Interrupted isCrash={message.errorCode === 'interrupted'} question={question} />
      )}
      {message.stopReason === 'error' && <Failure message={message} question={question} />}
    </>
  )
}

export function Thinking({ text, isOpen = false }: { text: string; isOpen?: boolean }) {
  const { t } = useTranslation()
  return (
    <details className="text-muted" open={isOpen}>
      <summary className="cursor-default select-none hover:text-text">{t('chat.thinking')}</summary>
      <p className="mt-1 border-l-2 border-line pl-3 whitespace-pre-wrap">{text}</p>
    </details>
  )
}
