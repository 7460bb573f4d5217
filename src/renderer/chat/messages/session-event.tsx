import { Lock } from 'lucide-react'
import type { ReactNode } from 'react'
import { useDisclosure } from '#lib/util/hooks.ts'
import { t } from 'i18next'
import { commands } from '#shared/chat/messages.ts'
import { commandName } from '../composer/completion.ts'
import type { CommandOutcome, SessionEvent } from '#shared/contract/index.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { explainCode } from '#shared/i18n/explain.ts'
import { formatNumber, formatScore, formatShort } from '#lib/i18n/format.ts'
import { Button } from '#lib/ui/elements.tsx'
import { MemoryText } from '../../search/unit-text.tsx'
import { DiffCard } from '#lib/diff-view/diff-card.tsx'
import { Markdown } from '../../markdown/document/document-rows.tsx'
import { PlaceLink } from '../../markdown/citations.tsx'
import { useChatActions } from '../chat-actions.ts'

export function SessionEventView({ event }: { event: SessionEvent }) {
  switch (event.type) {
    case 'flush':
      return (
        <Divider text={<FlushSentence event={event} />} isWarning={event.status === 'failed'}>
          {/* An empty list would be truthy, and the divider could be opened. */}
          {event.changes.length > 0 && event.changes.map((change, index) => <DiffCard key={index} change={change} />)}
        </Divider>
      )
    case 'compaction':
      return (
        <Divider text={eventSentence(event)} isWarning={event.leftOut}>
          <div className="rounded-md border border-line px-4 py-3">
            {event.lines.length > 0 ? <Digest lines={event.lines} /> : <Markdown text={event.summary} />}
          </div>
        </Divider>
      )
    case 'prune':
    case 'notice':
      return <Divider text={eventSentence(event)} isWarning={event.type === 'notice'} />
    case 'privateMatches':
      return <PrivateMatches text={eventSentence(event)} />
    case 'command':
      return (
        <div className="flex flex-col gap-1 pb-3" data-testid="command">
          <p className="font-mono text-[12px] text-muted">/{shownCommand(event.command)}</p>
          <CommandOutcomeView outcome={event.outcome} />
        </div>
      )
  }
}

function FlushSentence({ event }: { event: Extract<SessionEvent, { type: 'flush' }> }) {
  if (event.takenThrough === undefined) return eventSentence(event)
  return (
    <>
      {eventSentence(event)}{' '}
      <a href={`#m-${event.takenThrough}`} className="text-accent hover:underline">
        {t('kept.takenThrough')}
      </a>
    </>
  )
}

function Digest({ lines }: { lines: Extract<SessionEvent, { type: 'compaction' }>['lines'] }) {
  return (
    <ul className="list-disc pl-4">
      {lines.map(({ text, messages }, index) => (
        <li key={index}>
          {text}
          {messages.map((message, position) => (
            <a key={message} href={`#m-${message}`} className="ml-1 text-[12px] text-accent hover:underline">
              {t('chat.messageOfLine', { number: position + 1 })}
            </a>
          ))}
        </li>
      ))}
    </ul>
  )
}

function PrivateMatches({ text }: { text: string }) {
  const { continuePrivately } = useChatActions()
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-[12px] text-muted" data-testid="private-matches">
      <Lock size={12} aria-hidden className="shrink-0" />
      {text}
      <Button look="link" onClick={continuePrivately}>
        {t('chat.continuePrivately')}
      </Button>
    </p>
  )
}

function Divider(props: { text: ReactNode; isWarning?: boolean; children?: ReactNode }) {
  const { text, isWarning = false, children } = props
  const { isOpen, button } = useDisclosure()
  const rule = <span aria-hidden className="flex-1 border-t border-line" />
  const lineClass = `flex w-full items-center gap-4 text-[12px] ${isWarning ? 'text-warning' : 'text-muted'}`
  return (
    <div className="flex flex-col gap-3" data-testid="event">
      {children ? (
        <button {...button} className={`${lineClass} min-h-6 hover:text-text`}>
          {rule}
          {text}
          {rule}
        </button>
      ) : (
        <p className={lineClass}>
          {rule}
          <span className="max-w-[80%] text-center">{text}</span>
          {rule}
        </p>
      )}
      {isOpen && children}
    </div>
  )
}

function CommandOutcomeView({ outcome }: { outcome: CommandOutcome }) {
  const { name } = useAgent()
  switch (outcome.kind) {
    case 'compacted':
      return <p>{t('kept.compacted', { before: formatShort(outcome.before), after: formatShort(outcome.after) })}</p>
    case 'nothingToCompact':
      return <p>{t('command.nothingToCompact')}</p>
    case 'needsArgument':
      return <p>{t('command.needsArgument', { command: outcome.command })}</p>
    case 'remembered':
      return <DiffCard change={outcome.change} />
    case 'found':
      return outcome.results.length === 0 ? (
        <p>{t('search.nothing', { query: outcome.query })}</p>
      ) : (
        <ul className="text-[12px]">
          {outcome.results.map(({ path, startLine, score, snippet }) => (
            <li key={`${path}:${startLine}`} className="flex gap-3">
              <span className="tabular font-mono">{formatScore(score)}</span>
              <span className="min-w-0">
                <PlaceLink path={path} startLine={startLine} className="font-mono text-accent" />
                <MemoryText path={path} text={snippet} className="text-muted" />
              </span>
            </li>
          ))}
        </ul>
      )
    case 'model':
      return <p>{t('chat.model', { model: outcome.model === 'offline' ? t('status.noModel') : outcome.model })}</p>
    case 'agent':
      return <p>{t('command.agent', { agent: name, workspace: outcome.workspace })}</p>
    case 'status':
      return (
        <p className="tabular">
          {t('command.status', {
            tokens: formatNumber(outcome.tokens),
            window: formatNumber(outcome.contextWindow),
            files: formatNumber(outcome.files),
            entries: formatNumber(outcome.chunks),
            model: outcome.model === 'offline' ? t('status.noModel') : outcome.model,
          })}
          {outcome.flushAt !== undefined && ` · ${t('context.flush', { tokens: formatNumber(outcome.flushAt) })}`}
          {outcome.compactAt !== undefined && ` · ${t('context.compact', { tokens: formatNumber(outcome.compactAt) })}`}
        </p>
      )
    case 'help':
      return (
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-0.5">
          {commands.map((command) => (
            <div key={command.name} className="contents">
              <dt className="font-mono text-[12px]">
                /{commandName(command)} {commandName(command) !== command.name && `/${command.name} `}
                {command.argument && <span className="text-muted">{t(`command.argument.${command.argument}`)}</span>}
              </dt>
              <dd className="text-muted">{t(`command.about.${command.name}`)}</dd>
            </div>
          ))}
        </dl>
      )
    case 'failed':
      return <p className="text-bad">{explainCode(outcome.code, outcome.data)}</p>
  }
}

export function eventSentence(event: Exclude<SessionEvent, { type: 'command' }>): string {
  switch (event.type) {
    case 'flush':
      return t(`kept.flush.${event.status}`, { count: event.changes.length })
    case 'compaction':
      return t(event.leftOut ? 'kept.leftOut' : 'kept.compacted', {
        before: formatShort(event.before),
        after: formatShort(event.after),
      })
    case 'prune':
      return t('kept.pruned', { count: event.results, characters: formatShort(event.before - event.after) })
    case 'privateMatches':
      return t('chat.privateMatches', { count: event.count })
    case 'notice':
      return `${t(`kept.${event.kind}`, event.data)} ${event.code === '' ? '' : explainCode(event.code, event.data)}`.trim()
  }
}

function shownCommand(name: string): string {
  const command = commands.find((one) => one.name === name)
  return command ? commandName(command) : name
}
