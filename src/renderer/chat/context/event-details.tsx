import { useQuery } from '@tanstack/react-query'
import { t } from 'i18next'
import type { ContextEvent, ContextEventDetails } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { QueryView } from '#lib/feedback/query-view.tsx'
import { formatMoment, formatNumber } from '#lib/i18n/format.ts'
import { DiffCard } from '#lib/diff-view/diff-card.tsx'
import { eventSentence } from '../sessions/event-sentence.ts'

interface EventDetailsProps {
  readonly agent: string
  readonly session: string
  readonly event: ContextEvent
}

export function EventDetails({ agent, session, event: { id, at, event } }: EventDetailsProps) {
  const details = useQuery(api.context.event.queryOptions({ input: { agent, session, id } }))
  return (
    <section
      aria-label={t(`context.event.${event.type}`)}
      data-testid="event-details"
      className="mt-4 flex flex-col gap-3 rounded-lg border border-line bg-side px-4 py-3"
    >
      <h3 className="flex gap-3">
        <span className="font-semibold">{t(`context.event.${event.type}`)}</span>
        <span className="text-muted">{formatMoment(at)}</span>
      </h3>
      {event.type !== 'command' && <p>{eventSentence(event)}</p>}
      {event.type === 'flush' &&
        event.changes.map((change, index) => <DiffCard key={index} agent={agent} change={change} />)}
      {event.type === 'compaction' && (
        <pre className="max-h-72 overflow-auto rounded-md border border-line bg-paper px-3.5 py-2 font-mono text-[12px] whitespace-pre-wrap">
          {event.summary}
        </pre>
      )}
      <QueryView query={details} lines={3}>
        {(data) => (
          <>
            {(['dropped', 'uncovered', 'kept'] as const).map(
              (kind) => data[kind].length > 0 && <MessageList key={kind} kind={kind} messages={data[kind]} />,
            )}
            {data.results.length > 0 && (
              <ul className="text-[12px]">
                {data.results.map(({ tool, characters, isCleared }, index) => (
                  <li key={index} className="flex gap-3">
                    <span className="font-mono">{tool}</span>
                    <span className="tabular text-muted">
                      {t(isCleared ? 'context.cleared' : 'context.trimmed', { characters: formatNumber(characters) })}
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </QueryView>
    </section>
  )
}

type MessageKind = 'dropped' | 'uncovered' | 'kept'

function MessageList({ kind, messages }: { kind: MessageKind; messages: ContextEventDetails[MessageKind] }) {
  return (
    <details>
      <summary className="cursor-pointer">{t(`context.${kind}`, { count: messages.length })}</summary>
      <ul className="mt-1 max-h-96 overflow-auto rounded-md border border-line bg-paper text-[12px]">
        {messages.map(({ role, text, tokens }, index) => (
          <li key={index} className="flex gap-3 border-b border-soft px-3.5 py-1.5 last:border-0">
            <span className="w-24 shrink-0 truncate font-mono text-muted">{role}</span>
            <span className="line-clamp-4 min-w-0 flex-1 whitespace-pre-wrap">{text}</span>
            <span className="tabular shrink-0 text-muted">{formatNumber(tokens)}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}
