import { useMutation, useQuery } from '@tanstack/react-query'
import { Bookmark, Lock, MoreHorizontal, Pin, X } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import { t } from 'i18next'
import { Link } from 'wouter'
import type { Agent, SessionSummary } from '#shared/contract/index.ts'
import { api, queryClient } from '#lib/api/client.ts'
import { Button, IconButton } from '#lib/ui/button.tsx'
import { PlaceMark, PrivateMark } from '#lib/notes/private-mark.tsx'
import { formatNumber, startOfDay } from '#lib/i18n/format.ts'
import { clipLine } from '#lib/util/clip.ts'
import { Highlight } from '#lib/ui/long-text.tsx'
import { paths, sessionAt } from '#lib/router/paths.ts'
import { SectionTitle } from '#lib/ui/nav-row.tsx'
import { FilterField } from '#lib/ui/search-field.tsx'
import { VirtualRows } from '#lib/ui/virtual-rows.tsx'
import { SessionMenu } from './session-menu.tsx'

export function SessionList({ agent, current: currentPath }: { agent: Agent; current: string }) {
  const [query, setQuery] = useState('')
  const sessions = useQuery(api.sessions.list.queryOptions({ input: { agent: agent.id } }))
  const rows = useMemo(() => toRows(sessions.data ?? []), [sessions.data])
  const openId = sessionAt(currentPath)
  const isChat = currentPath.startsWith('/chat/')
  if (sessions.data?.length === 0) return <p className="px-2 pt-4 text-muted">{t('nav.noChats')}</p>
  return (
    <>
      <div className="relative px-0.5 pb-0.5">
        <FilterField label={t('session.search')} value={query} onChange={setQuery} className="w-full" />
        {query !== '' && (
          <IconButton
            icon={X}
            size={12}
            label={t('common.clear')}
            className="absolute right-0.5"
            onClick={() => setQuery('')}
          />
        )}
      </div>
      <MadePrivateNote agent={agent.id} />
      {query.trim() === '' ? (
        <VirtualRows label={t('nav.chats')} rows={rows} keyOf={keyOfRow} estimateHeight={heightOf} scrollToKey={openId}>
          {(row) =>
            typeof row === 'string' ? (
              <SectionTitle>{t(`nav.${row}`)}</SectionTitle>
            ) : (
              <SessionRow agent={agent.id} summary={row} isCurrent={isChat && row.id === openId} />
            )
          }
        </VirtualRows>
      ) : (
        <SearchResults agent={agent} query={query.trim()} />
      )}
    </>
  )
}

/** Tells once that chats became private because they contain text of private notes. */
function MadePrivateNote({ agent }: { agent: string }) {
  const query = api.sessions.madePrivate.queryOptions({ input: { agent } })
  const count = useQuery(query).data?.sessions.length ?? 0
  const forget = useMutation(
    api.sessions.forgetMadePrivate.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: api.sessions.madePrivate.key() }),
    }),
  )
  if (count === 0) return null
  return (
    <p role="note" className="mx-0.5 my-1 rounded-sm bg-soft px-2 py-1 text-[12px] text-muted">
      <Lock size={11} aria-hidden className="mr-1 inline" />
      {t('session.madePrivate', { count })}{' '}
      <Button look="link" disabled={forget.isPending} onClick={() => forget.mutate({ agent })}>
        {t('common.close')}
      </Button>
    </p>
  )
}

function SessionRow({ agent, summary, isCurrent }: { agent: string; summary: SessionSummary; isCurrent: boolean }) {
  return (
    <div
      className={`group/row relative rounded-sm transition-colors duration-150 ${isCurrent ? 'bg-selected' : 'hover:bg-soft'}`}
    >
      <Link
        href={paths.chat(summary.id)}
        aria-current={isCurrent ? 'page' : undefined}
        className="flex min-h-[27px] items-center gap-1.5 rounded-sm px-2 group-focus-within/row:pr-8 group-hover/row:pr-8"
      >
        {summary.pinned && <Pin size={11} aria-label={t('session.pinned')} className="shrink-0 text-muted" />}
        {summary.isPrivate && <PrivateMark label={t('session.private')} />}
        <span className="min-w-0 flex-1 truncate">{clipLine(summary.title) || t('nav.untitled')}</span>
        {summary.kept > 0 && (
          <span
            role="img"
            aria-label={t('session.kept', { count: summary.kept })}
            title={t('session.kept', { count: summary.kept })}
            className="tabular flex items-center gap-0.5 text-[11px] text-muted"
          >
            <Bookmark size={10} aria-hidden /> {formatNumber(summary.kept)}
          </span>
        )}
      </Link>
      <span className="absolute top-0 right-0 opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100 has-[[data-popup-open]]:opacity-100">
        <SessionMenu
          agent={agent}
          summary={summary}
          trigger={
            <IconButton icon={MoreHorizontal} label={t('session.menuOf', { title: clipLine(summary.title, 100) })} />
          }
        />
      </span>
    </div>
  )
}

function SearchResults({ agent, query }: { agent: Agent; query: string }) {
  const deferredQuery = useDeferredValue(query)
  const results = useQuery(api.sessions.find.queryOptions({ input: { agent: agent.id, query: deferredQuery } }))
  if (results.data?.length === 0) return <p className="px-2 pt-4 text-muted">{t('session.nothing', { query })}</p>
  const words = deferredQuery.split(/\s+/)
  return (
    <section aria-label={t('session.found')} className="pt-2">
      {(results.data ?? []).map(({ id, title, message, snippet }) => (
        <Link key={id} href={paths.chat(id, message)} className="block rounded-sm px-2 py-1 hover:bg-soft">
          <span className="block truncate">
            <PlaceMark agent={agent.id} path={`sessions/${id}.jsonl`} />
            <Highlight text={clipLine(title) || t('nav.untitled')} words={words} />
          </span>
          {snippet && (
            <span className="line-clamp-2 text-[12px] text-muted">
              <Highlight text={clipLine(snippet)} words={words} />
            </span>
          )}
        </Link>
      ))}
    </section>
  )
}

type Group = 'pinned' | 'today' | 'yesterday' | 'older'

function toRows(sessions: readonly SessionSummary[]): (Group | SessionSummary)[] {
  const midnight = startOfDay(0)
  const previousMidnight = startOfDay(1)
  const groupOf = ({ pinned, updatedAt }: SessionSummary): Group => {
    if (pinned) return 'pinned'
    return updatedAt >= midnight ? 'today' : updatedAt >= previousMidnight ? 'yesterday' : 'older'
  }
  const sessionsByGroup = Map.groupBy(sessions, groupOf)
  const order: Group[] = ['pinned', 'today', 'yesterday', 'older']
  return order.flatMap((group) => {
    const members = sessionsByGroup.get(group)
    return members ? [group, ...members] : []
  })
}

const keyOfRow = (row: Group | SessionSummary) => (typeof row === 'string' ? row : row.id)
const heightOf = (row: Group | SessionSummary) => (typeof row === 'string' ? 38 : 27)
