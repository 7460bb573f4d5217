import { useTranslation } from 'react-i18next'
import { memo, useMemo, useState, useRef } from 'react'
import { t } from 'i18next'
import { skipToken, useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { messageText, splitAttachments, type AssistantMessage } from '#shared/chat/messages.ts'
import { ErrorBoundary, Button, Chevron } from '#lib/ui/elements.tsx'
import { splitCitations } from '#shared/markdown/citation.ts'
import type { RecordedSearch } from '#shared/contract/index.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { api } from '#lib/api/client.ts'
import { paths } from '#lib/router/paths.ts'
import { clipLine, clipPassage, limitCombiningMarks } from '#lib/util/clip.ts'
import { useDisclosure } from '#lib/util/hooks.ts'
import { ShowAll } from '#lib/ui/long-text.tsx'
import { DiffCard } from '#lib/diff-view/diff-card.tsx'
import { QueryContext } from '../../markdown/citations.tsx'
import { useChatActions } from '../chat-actions.ts'
import { ResumeNote, Failure, AnswerActions, KeepButton, QuestionActions } from './answer-notes.tsx'
import { useLive } from '../live-turn.ts'
import { SessionEventView } from './session-event.tsx'
import { searchesOf, changeOf, type Turn, type Answer, type LiveTurn, type AskedMessage } from '../turns.ts'
import { ToolLine, SearchDetails, toolLabel } from './tool-call.tsx'
import { Result } from '../../search/results.tsx'
import { Markdown } from '../../markdown/document/document-rows.tsx'
import { useDraft } from '#lib/drafts.ts'
import { AttachmentChip } from '../composer/attachments.tsx'

interface TurnViewProps {
  readonly turn: Turn
  readonly isEditing: boolean
  readonly isRunning: boolean
  readonly isLast: boolean
}

export const TurnView = memo(function TurnView(props: TurnViewProps) {
  const { turn, isEditing, isRunning, isLast } = props
  useTranslation()
  const { select } = useChatActions()
  const { question, answers, events } = turn
  const lastAnswer = answers.at(-1)
  const text = answers
    .map(({ message }) => messageText(message))
    .filter(Boolean)
    .join('\n\n')
  const isIncomplete = lastAnswer === undefined || lastAnswer.message.stopReason === 'toolUse'
  const isUnanswered = isLast && !isRunning && question !== undefined && isIncomplete
  const lastQuery = useMemo(() => searchesOf(turn).at(-1)?.query, [turn])
  return (
    <QueryContext value={lastQuery}>
      <article className="flex flex-col gap-1" onClick={() => select(turn.id)} onFocus={() => select(turn.id)}>
        {question && (
          <ErrorBoundary piece="message" resetKey={question}>
            {isEditing ? <QuestionEditor question={question} /> : <QuestionView question={question} />}
          </ErrorBoundary>
        )}
        {(answers.length > 0 || isUnanswered || isRunning) && (
          <div className="group/message flex flex-col gap-3">
            {/* Keyed by index, so that the streamed answer becomes the stored message without remounting. */}
            {[...answers, ...(isRunning ? [undefined] : [])].map((answer, index) => (
              <ErrorBoundary key={index} piece="message" resetKey={answer}>
                <AnswerView answer={answer} completeAnswers={answers} question={question?.id} isRunning={isRunning} />
              </ErrorBoundary>
            ))}
            {lastAnswer && !isRunning && (
              <ErrorBoundary piece="row" resetKey={turn}>
                <SourcesLine turn={turn} />
                {isLast && <PrivateNewerLine turn={turn} />}
              </ErrorBoundary>
            )}
            {lastAnswer?.message.keep !== undefined && !isRunning && (
              <KeepButton id={lastAnswer.id} text={lastAnswer.message.keep} />
            )}
            {isUnanswered && (
              <ResumeNote text={t('chat.cutOff')} canResume={lastAnswer !== undefined} question={question.id} />
            )}
            {lastAnswer && question && !isRunning && (
              <AnswerActions id={lastAnswer.id} question={question.id} text={text} versions={answers[0]?.versions} />
            )}
          </div>
        )}
        {events.map(({ id, event }) => (
          <ErrorBoundary key={id} piece="message" resetKey={event}>
            <SessionEventView event={event} />
          </ErrorBoundary>
        ))}
      </article>
    </QueryContext>
  )
})

function SourcesLine({ turn }: { turn: Turn }) {
  const { isOpen, button } = useDisclosure()
  const sources = useMemo(() => sourcesOf(turn), [turn])
  if (sources.length === 0) return null
  const usedCount = sources.filter(({ isUsed }) => isUsed).length
  return (
    <div data-testid="sources">
      <button
        {...button}
        className="flex min-h-6 items-center gap-1.5 rounded-sm text-[12px] text-muted hover:text-text"
      >
        <Chevron isOpen={isOpen} />
        {usedCount > 0 ? t('chat.fromMemories', { count: usedCount }) : t('chat.noneCited', { count: sources.length })}
      </button>
      {isOpen && (
        <ul className="mt-2 flex flex-col gap-4 border-l border-line pl-4">
          {sources.map(({ result, query, isUsed }) => (
            <li key={`${result.path}:${result.startLine}`}>
              <Result result={result} query={query} isUsed={isUsed} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** Names a newer line that the chat must not get. It is not part of the transcript. */
function PrivateNewerLine({ turn }: { turn: Turn }) {
  const { id: agent } = useAgent()
  const search = useMemo(() => searchesOf(turn).at(-1), [turn])
  const options = { hasPrivate: true, staysHere: true }
  const input = search ? { agent, query: search.query, options } : skipToken
  const found = useQuery(api.search.query.queryOptions({ input })).data?.results ?? []
  const placeOf = ({ path, startLine }: RecordedResult) => `${path}:${startLine}`
  const known = new Set(search?.results.map(placeOf))
  const newer = found.find(
    (one) => one.isPrivate && found.some((older) => older.newer?.at === placeOf(one) && known.has(placeOf(older))),
  )
  if (!newer || known.has(placeOf(newer))) return null
  return (
    <p className="text-[12px] text-muted">
      {t('chat.newerIsPrivate')}{' '}
      <Link className="text-accent hover:underline" href={paths.file(newer.path, newer.startLine)}>
        {placeOf(newer)}
      </Link>
    </p>
  )
}

type RecordedResult = RecordedSearch['results'][number]

/** Returns the best result for each place. `isUsed`: the answer cites its lines. */
function sourcesOf(turn: Turn) {
  const citations = turn.answers
    .flatMap(({ message }) => splitCitations(messageText(message)))
    .filter((part) => typeof part !== 'string')
  const isUsed = ({ path, startLine, endLine }: RecordedResult) =>
    citations.some(
      (citation) =>
        citation.path === path &&
        (citation.line === undefined || (citation.line <= endLine && (citation.endLine ?? citation.line) >= startLine)),
    )
  const sources = new Map<string, { result: RecordedResult; query: string; isUsed: boolean }>()
  for (const { query, results } of searchesOf(turn))
    for (const result of results) {
      const key = `${result.path}:${result.startLine}`
      const previous = sources.get(key)
      if (previous && previous.result.score >= result.score) continue
      sources.set(key, { result, query, isUsed: isUsed(result) })
    }
  return [...sources.values()].sort((a, b) => Number(b.isUsed) - Number(a.isUsed) || b.result.score - a.result.score)
}

interface AnswerProps {
  /** Undefined for the answer that is being generated. */
  readonly answer: Answer | undefined
  readonly completeAnswers: readonly Answer[]
  readonly question: string | undefined
  readonly isRunning: boolean
}

function AnswerView({ answer, completeAnswers, question, isRunning }: AnswerProps) {
  const { name } = useAgent()
  const { session } = useChatActions()
  const live = useLive(session, (turn) => (answer ? undefined : turn))
  const streamed = live && !isPartOf(completeAnswers, live) ? live : undefined
  const text = answer ? messageText(answer.message) : (streamed?.text ?? '')
  const thoughts = answer?.message.content.flatMap((part) => (part.type === 'thinking' ? part.thinking : []))
  const thinking = thoughts ? thoughts.join('\n') : (streamed?.thinking ?? '')
  const hasContent = ({ message, tools }: Answer) => tools.length > 0 || messageText(message).trim() !== ''
  return (
    <div className="flex flex-col gap-3 empty:hidden" aria-live={answer ? undefined : 'polite'}>
      {thinking.trim() !== '' && <Thinking text={thinking} isOpen={!answer && text === ''} />}
      {text !== '' && (
        <div data-testid={answer ? 'answer' : 'live'}>
          <span className="sr-only">{t('chat.assistant', { agent: name })}: </span>
          <Markdown text={text} />
        </div>
      )}
      {answer?.tools.map((step) => {
        const change = changeOf(step)
        return (
          <ErrorBoundary key={step.call.id} piece="tool" resetKey={step.result}>
            {change ? <DiffCard change={change} /> : <ToolLine step={step} isRunning={isRunning} />}
          </ErrorBoundary>
        )
      })}
      {answer && <Ending message={answer.message} question={question} canResume={completeAnswers.some(hasContent)} />}
    </div>
  )
}

/** Returns true if a complete answer contains the streamed text: a refetch can finish before the stream ends. */
function isPartOf(answers: readonly Answer[], { messageId, text }: LiveTurn): boolean {
  if (messageId !== undefined && answers.some(({ id }) => id === messageId)) return true
  const last = answers.at(-1)
  return text !== '' && last !== undefined && messageText(last.message) === text
}

interface EndingProps {
  readonly message: AssistantMessage
  readonly question: string | undefined
  readonly canResume: boolean
}

function Ending({ message, question, canResume }: EndingProps) {
  const { stopReason, cutCall, unreadCall, errorCode } = message
  if (stopReason === 'error') return <Failure message={message} question={question} />
  if (stopReason === 'aborted') {
    const text = t(errorCode === 'interrupted' ? 'chat.cutOff' : 'chat.interrupted')
    return <ResumeNote text={text} canResume={canResume || question === undefined} question={question} />
  }
  if (unreadCall) return <p className="text-muted">{t('chat.unreadCall')}</p>
  if (stopReason !== 'length') return null
  const tool = cutCall === undefined ? undefined : clipLine(toolLabel(cutCall), 80)
  return <ResumeNote text={tool === undefined ? t('chat.tooLong') : t('chat.tooLongCall', { tool })} canResume />
}

function Thinking({ text, isOpen = false }: { text: string; isOpen?: boolean }) {
  const clipped = clipPassage(text)
  return (
    <details className="text-muted" open={isOpen}>
      <summary className="cursor-default select-none hover:text-text">{t('chat.thinking')}</summary>
      <p className="mt-1 border-l-2 border-line pl-3 break-words whitespace-pre-wrap">{limitCombiningMarks(clipped)}</p>
      {clipped.length < text.length && <ShowAll text={text} />}
    </details>
  )
}

function QuestionView({ question }: { question: AskedMessage }) {
  const { recalled } = question.message
  const { text, files, images } = splitAttachments(question.message)
  const clipped = clipPassage(text)
  return (
    <div className="group/message flex flex-col items-end">
      <div className="flex max-w-[80%] flex-col items-end gap-1.5">
        <Attachments files={files} images={images} />
        {text !== '' && (
          <div className="prose rounded-lg rounded-br-sm border border-line bg-side px-3.5 py-2 whitespace-pre-wrap">
            <span className="sr-only">{t('common.pair', { name: t('chat.you'), value: '' })}</span>
            {limitCombiningMarks(clipped)}
            {clipped.length < text.length && (
              <div>
                <ShowAll text={text} />
              </div>
            )}
          </div>
        )}
      </div>
      {recalled && (
        <details className="max-w-[80%] text-[12px] text-muted" data-testid="recalled">
          <summary className="cursor-pointer rounded-sm text-right hover:text-text">
            {t('chat.recalled', { count: recalled.search.results.length })}
          </summary>
          <SearchDetails recall={recalled.search} />
        </details>
      )}
      <QuestionActions question={question} text={text} />
    </div>
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
function QuestionEditor({ question }: { question: AskedMessage }) {
  const { edit, sendEdited } = useChatActions()
  const [sentText] = useState(() => splitAttachments(question.message).text)
  const field = useRef<HTMLTextAreaElement>(null)
  const { draft, change, clear } = useDraft(useAgent().id, `edit-${question.id}`)
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
