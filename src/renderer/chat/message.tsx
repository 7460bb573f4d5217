import { Check, Copy } from 'lucide-react'
import { memo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { messageText } from '../../shared/messages.ts'
import { explainCode } from '../api/index.ts'
import { IconButton } from '../ui/button.tsx'
import { DiffCard } from './diff-card.tsx'
import { Markdown } from './markdown.tsx'
import { SessionEventView } from './session-event.tsx'
import { ToolLine } from './tool-line.tsx'
import { changeOf, type Answer, type Turn } from './turns.ts'

interface TurnProps {
  readonly agent: string
  readonly turn: Turn
  readonly isSelected: boolean
  readonly isRunning: boolean
  readonly onSelect: (id: string) => void
}

export const TurnView = memo(function TurnView({ agent, turn, isSelected, isRunning, onSelect }: TurnProps) {
  const { t } = useTranslation()
  return (
    <article className="flex flex-col gap-4" onClick={() => onSelect(turn.id)} data-selected={isSelected}>
      {turn.user && (
        <div className="flex justify-end">
          <div className="prose max-w-[80%] rounded-lg rounded-br-sm border border-line bg-side px-3.5 py-2 whitespace-pre-wrap">
            <span className="sr-only">{t('chat.you')}: </span>
            {messageText(turn.user)}
          </div>
        </div>
      )}
      {turn.answers.map((answer) => (
        <AnswerView key={answer.id} agent={agent} answer={answer} isRunning={isRunning} />
      ))}
      {turn.events.map(({ id, event }) => (
        <SessionEventView key={id} agent={agent} event={event} />
      ))}
    </article>
  )
})

function AnswerView({ agent, answer, isRunning }: { agent: string; answer: Answer; isRunning: boolean }) {
  const { t } = useTranslation()
  const { message, tools } = answer
  const text = messageText(message)
  const thinking = message.content.flatMap((part) => (part.type === 'thinking' ? [part.thinking] : [])).join('\n')
  return (
    <div className="group flex flex-col gap-3">
      {thinking !== '' && <Thinking text={thinking} />}
      {text !== '' && (
        <div className="relative" data-testid="answer">
          <span className="sr-only">{t('chat.assistant', { agent })}: </span>
          <Markdown text={text} agent={agent} />
          <CopyButton text={text} />
        </div>
      )}
      {tools.map((step) => {
        const change = changeOf(step)
        return change ? (
          <DiffCard key={step.call.id} agent={agent} change={change} />
        ) : (
          <ToolLine key={step.call.id} step={step} isRunning={isRunning} />
        )
      })}
      {message.stopReason === 'aborted' && <p className="text-muted">{t('chat.interrupted')}</p>}
      {message.stopReason === 'error' && (
        <Failure
          code={message.errorCode ?? 'internal'}
          message={message.errorMessage ?? ''}
          provider={message.provider}
        />
      )}
    </div>
  )
}

/** What went wrong and what to do; the message of a fault is its log reference. */
function Failure({ code, message, provider }: { code: string; message: string; provider: string }) {
  const { t } = useTranslation()
  const variable = /set (\w+)/.exec(message)?.[1] ?? ''
  const reason = message.replace(/^.*refused the request: /, '')
  return (
    <div role="alert" className="rounded-md border border-line bg-side px-3.5 py-2.5">
      <p className="font-medium text-bad">{t('common.errorTitle')}</p>
      <p>{explainCode(code, { provider, variable, reason, reference: message })}</p>
    </div>
  )
}

export function Thinking({ text }: { text: string }) {
  const { t } = useTranslation()
  return (
    <details className="text-muted">
      <summary className="cursor-default select-none hover:text-text">{t('chat.thinking')}</summary>
      <p className="mt-1 border-l-2 border-line pl-3 whitespace-pre-wrap">{text}</p>
    </details>
  )
}

function CopyButton({ text }: { text: string }) {
  const { t } = useTranslation()
  const [isCopied, setIsCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setIsCopied(true)
    setTimeout(() => setIsCopied(false), 1500)
  }
  return (
    <IconButton
      label={t(isCopied ? 'chat.copied' : 'chat.copy')}
      onClick={() => void copy()}
      className="absolute -top-1 -right-8 opacity-0 group-hover:opacity-100 focus-visible:opacity-100"
    >
      {isCopied ? <Check size={13} /> : <Copy size={13} />}
    </IconButton>
  )
}
