import { t } from 'i18next'
import { messageText, type AssistantMessage } from '#shared/chat/messages.ts'
import { useAgentName } from '#lib/agents/agent-name.ts'
import { clipPassage, limitCombiningMarks } from '#lib/util/clip.ts'
import { ShowAll } from '#lib/ui/clipped-text.tsx'
import { ErrorBoundary } from '#lib/ui/error-boundary.tsx'
import { DiffCard } from '#lib/diff-view/diff-card.tsx'
import { Failure, InterruptedNote, LengthLimitNote } from './failure.tsx'
import type { LiveTurn } from '../live-turn-state.ts'
import { useLive, type LiveTurnFollower } from '../live-turn.ts'
import { Markdown } from '../../markdown/chat/markdown.tsx'
import { ToolLine } from './tool-line.tsx'
import { changeOf, type Answer } from './turns.ts'

interface AnswerProps {
  readonly agent: string
  /** Undefined for the answer that is being generated. */
  readonly answer: Answer | undefined
  readonly completeAnswers: readonly Answer[]
  readonly question: string | undefined
  readonly isRunning: boolean
  readonly follower: LiveTurnFollower
}

export function AnswerView({ agent, answer, completeAnswers, question, isRunning, follower }: AnswerProps) {
  const name = useAgentName(agent)
  const live = useLive(follower, (turn) => (answer ? undefined : turn))
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
          <Markdown text={text} agent={agent} />
        </div>
      )}
      {answer?.tools.map((step) => {
        const change = changeOf(step)
        return (
          <ErrorBoundary key={step.call.id} piece="tool" resetKey={step.result}>
            {change ? (
              <DiffCard agent={agent} change={change} />
            ) : (
              <ToolLine agent={agent} step={step} isRunning={isRunning} follower={follower} />
            )}
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
  switch (message.stopReason) {
    case 'length':
      return <LengthLimitNote cutCall={message.cutCall} />
    case 'aborted':
      return <InterruptedNote isCrash={message.errorCode === 'interrupted'} question={question} canResume={canResume} />
    case 'error':
      return <Failure message={message} question={question} />
    case 'stop':
    case 'toolUse':
      return null
  }
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
