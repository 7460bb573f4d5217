import { memo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { messageText, splitAttachments, type AssistantMessage, type UserMessage } from '../../shared/messages.ts'
import { Button } from '../ui/button.tsx'
import { clipPassage, withoutPiles } from '../ui/clip.ts'
import { ShowAll } from '../ui/clipped-text.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { AttachmentChip } from './attachment-chip.tsx'
import { useChatActions } from './chat-actions.ts'
import { DiffCard } from '../history/diff-card.tsx'
import { Failure, Interrupted } from './failure.tsx'
import type { LiveTurn } from './live-turn-state.ts'
import { useLive, type LiveTurnFollower } from './live-turn.ts'
import { Markdown } from '../markdown/markdown.tsx'
import { AnswerActions, QuestionActions } from './message-actions.tsx'
import { SessionEventView } from './session-event.tsx'
import { ToolLine } from './tool-line.tsx'
import { changeOf, type Answer, type Question, type Turn } from './turns.ts'

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
      {question && (
        <ErrorBoundary piece="message" of={question}>
          {isEditing ? <QuestionEditor question={question} /> : <QuestionView question={question} />}
        </ErrorBoundary>
      )}
      {(answers.length > 0 || isUnanswered || isRunning) && (
        <div className="group/message flex flex-col gap-3">
          {/* By place, not by id: the answer that streams becomes the message that it is, without being drawn anew. */}
          {[...answers, ...(isRunning ? [undefined] : [])].map((answer, place) => (
            <ErrorBoundary key={place} piece="message" of={answer}>
              <AnswerView
                agent={agent.id}
                answer={answer}
                known={answers}
                question={question?.id}
                isRunning={isRunning}
                follower={follower}
              />
            </ErrorBoundary>
          ))}
          {isUnanswered && <Interrupted isCrash question={question.id} />}
          {last && question && !isRunning && (
            <AnswerActions id={last.id} question={question.id} text={text} versions={answers[0]?.versions} />
          )}
        </div>
      )}
      {events.map(({ id, event }) => (
        <ErrorBoundary key={id} piece="message" of={event}>
          <SessionEventView agent={agent.id} event={event} />
        </ErrorBoundary>
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
  const shown = clipPassage(text)
  return (
    <div className="group/message flex flex-col items-end">
      <div className="flex max-w-[80%] flex-col items-end gap-1.5">
        <Attached files={files} images={images} />
        {text !== '' && (
          <div className="prose rounded-lg rounded-br-sm border border-line bg-side px-3.5 py-2 whitespace-pre-wrap">
            <span className="sr-only">{t('chat.you')}: </span>
            {withoutPiles(shown)}
            {shown.length < text.length && (
              <div>
                <ShowAll text={text} />
              </div>
            )}
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
  /** Undefined for the one that is being given. */
  readonly answer: Answer | undefined
  /** Those of the turn that are complete. */
  readonly known: readonly Answer[]
  readonly question: string | undefined
  readonly isRunning: boolean
  readonly follower: LiveTurnFollower
}

function AnswerView({ agent, answer, known, question, isRunning, follower }: AnswerProps) {
  const { t } = useTranslation()
  const live = useLive(follower, (turn) => (answer ? undefined : turn))
  const streamed = live && !isShownIn(known, live) ? live : undefined
  const text = answer ? messageText(answer.message) : (streamed?.text ?? '')
  const thinking = answer ? thinkingOf(answer) : (streamed?.thinking ?? '')
  return (
    <div className="flex flex-col gap-3 empty:hidden" aria-live={answer ? undefined : 'polite'}>
      {thinking.trim() !== '' && <Thinking text={thinking} isOpen={!answer && text === ''} />}
      {text !== '' && (
        <div data-testid={answer ? 'answer' : 'live'}>
          <span className="sr-only">{t('chat.assistant', { agent })}: </span>
          <Markdown text={text} agent={agent} />
        </div>
      )}
      {answer?.tools.map((step) => {
        const change = changeOf(step)
        return (
          <ErrorBoundary key={step.call.id} piece="tool" of={step.result}>
            {change ? (
              <DiffCard agent={agent} change={change} />
            ) : (
              <ToolLine step={step} isRunning={isRunning} follower={follower} />
            )}
          </ErrorBoundary>
        )
      })}
      {answer && <Ending message={answer.message} question={question} />}
    </div>
  )
}

function thinkingOf({ message }: Answer): string {
  return message.content.flatMap((part) => (part.type === 'thinking' ? [part.thinking] : [])).join('\n')
}

/** The conversation can be read anew before the stream says that the answer is complete. */
function isShownIn(known: readonly Answer[], { settledAs, text }: LiveTurn): boolean {
  if (settledAs !== undefined && known.some(({ id }) => id === settledAs)) return true
  const last = known.at(-1)
  return text !== '' && last !== undefined && messageText(last.message) === text
}

/** How an answer ended, when it did not just end. */
function Ending({ message, question }: { message: AssistantMessage; question: string | undefined }) {
  const { t } = useTranslation()
  switch (message.stopReason) {
    case 'length':
      return <p className="text-muted">{t('chat.tooLong')}</p>
    case 'aborted':
      return <Interrupted isCrash={message.errorCode === 'interrupted'} question={question} />
    case 'error':
      return <Failure message={message} question={question} />
    case 'stop':
    case 'toolUse':
      return null
  }
}

function Thinking({ text, isOpen = false }: { text: string; isOpen?: boolean }) {
  const { t } = useTranslation()
  const shown = clipPassage(text)
  return (
    <details className="text-muted" open={isOpen}>
      <summary className="cursor-default select-none hover:text-text">{t('chat.thinking')}</summary>
      <p className="mt-1 border-l-2 border-line pl-3 break-words whitespace-pre-wrap">{withoutPiles(shown)}</p>
      {shown.length < text.length && <ShowAll text={text} />}
    </details>
  )
}
