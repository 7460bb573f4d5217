import { useTranslation } from 'react-i18next'
import { memo, useMemo } from 'react'
import { messageText } from '#shared/chat/messages.ts'
import { QueryContext } from '../../markdown/citations/result-actions.tsx'
import { ErrorBoundary } from '#lib/ui/error-boundary.tsx'
import { useChatActions } from '../chat-actions.ts'
import { InterruptedNote } from './failure.tsx'
import type { LiveTurnFollower } from '../live-turn.ts'
import { AnswerActions, KeepButton } from './message-actions.tsx'
import { SessionEventView } from './session-event.tsx'
import { searchesOf, type Turn } from './turns.ts'
import { AnswerView } from './answer.tsx'
import { SourcesLine } from './sources-line.tsx'
import { QuestionEditor, QuestionView } from './question.tsx'

interface TurnViewProps {
  readonly turn: Turn
  readonly isEditing: boolean
  readonly isSelected: boolean
  readonly isRunning: boolean
  readonly isLast: boolean
  readonly follower: LiveTurnFollower
}

export const TurnView = memo(function TurnView(props: TurnViewProps) {
  const { turn, isEditing, isSelected, isRunning, isLast, follower } = props
  useTranslation()
  const { agent, select } = useChatActions()
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
      <article
        className="flex flex-col gap-1"
        onClick={() => select(turn.id)}
        onFocus={() => select(turn.id)}
        data-selected={isSelected}
      >
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
                <AnswerView
                  agent={agent.id}
                  answer={answer}
                  completeAnswers={answers}
                  question={question?.id}
                  isRunning={isRunning}
                  follower={follower}
                />
              </ErrorBoundary>
            ))}
            {lastAnswer && !isRunning && (
              <ErrorBoundary piece="row" variant="row" resetKey={turn}>
                <SourcesLine agent={agent.id} turn={turn} />
              </ErrorBoundary>
            )}
            {lastAnswer?.message.keep !== undefined && !isRunning && (
              <KeepButton id={lastAnswer.id} text={lastAnswer.message.keep} />
            )}
            {isUnanswered && <InterruptedNote isCrash question={question.id} canResume={lastAnswer !== undefined} />}
            {lastAnswer && question && !isRunning && (
              <AnswerActions id={lastAnswer.id} question={question.id} text={text} versions={answers[0]?.versions} />
            )}
          </div>
        )}
        {events.map(({ id, event }) => (
          <ErrorBoundary key={id} piece="message" resetKey={event}>
            <SessionEventView agent={agent.id} event={event} />
          </ErrorBoundary>
        ))}
      </article>
    </QueryContext>
  )
})
