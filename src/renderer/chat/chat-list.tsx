import { useMutation, useQuery } from '@tanstack/react-query'
import { Bookmark, Lock, Pin, X } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import { t } from 'i18next'
import { Link } from 'wouter'
import type { ChatSummary } from '#shared/contract/index.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { api, queryClient, client } from '#lib/api/client.ts'
import { Button, IconButton, FilterField, ActionItem, DotsMenu, ActionSeparator, QueryView } from '#lib/ui/elements.tsx'
import { PlaceMark, PrivateMark } from '#lib/notes/note-marks.tsx'
import { formatNumber, startOfDay } from '#lib/i18n/format.ts'
import { clipLine } from '#lib/util/clip.ts'
import { Highlight } from '#lib/ui/long-text.tsx'
import { navigate, paths, sessionAt, useEncodedPath } from '#lib/router/paths.ts'
import { SectionTitle, Dialog, PromptDialog } from '#lib/ui/frames.tsx'
import { VirtualRows } from '#lib/ui/virtual-rows.tsx'
import { toast } from 'sonner'
import { showSuccess } from '#lib/feedback/toast.ts'
import { download } from '#lib/util/download.ts'
import { LineList, type ChatAddress } from './composer/outbox.tsx'

export function ChatList({ current: currentPath }: { current: string }) {
  const { id: agent } = useAgent()
  const [query, setQuery] = useState('')
  const sessions = useQuery(api.chats.list.queryOptions({ input: { agent } }))
  const rows = useMemo(() => toRows(sessions.data ?? []), [sessions.data])
  const openId = sessionAt(currentPath)
  const isChat = currentPath.startsWith('/chat/')
  if (sessions.data?.length === 0) return <p className="px-2 pt-4 text-muted">{t('nav.noChats')}</p>
  return (
    <>
      <div className="relative px-0.5 pb-0.5">
        <FilterField label={t('chats.search')} value={query} onChange={setQuery} className="w-full" />
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
      <MadePrivateNote chats={sessions.data ?? []} />
      {query.trim() === '' ? (
        <VirtualRows label={t('nav.chats')} rows={rows} keyOf={keyOfRow} estimateHeight={heightOf} scrollToKey={openId}>
          {(row) =>
            typeof row === 'string' ? (
              <SectionTitle>{t(`nav.${row}`)}</SectionTitle>
            ) : (
              <SessionRow summary={row} isCurrent={isChat && row.id === openId} />
            )
          }
        </VirtualRows>
      ) : (
        <SearchResults query={query.trim()} />
      )}
    </>
  )
}

const maxNamed = 5

/** Names once the chats that became private with text of notes, and the notes that another program moved. */
function MadePrivateNote({ chats }: { chats: readonly ChatSummary[] }) {
  const { id: agent } = useAgent()
  const query = api.chats.madePrivate.queryOptions({ input: { agent } })
  const places = useQuery(query).data?.chatsAndNotes ?? []
  const [notes, sessions] = [true, false].map((isNote) => places.filter((place) => /\.\w+$/.test(place) === isNote))
  const nameOf = (place: string) => chats.find(({ id }) => id === place)?.title ?? place
  const counted = (of: readonly string[] = []) => {
    const names = of
      .slice(0, maxNamed)
      .map((place) => clipLine(nameOf(place), 60).replace(/[.。]+$/, '') || t('nav.untitled'))
    return { count: of.length, names: [...names, ...(of.length > maxNamed ? ['…'] : [])].join(', ') }
  }
  const forget = useMutation(
    api.chats.forgetMadePrivate.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: api.chats.madePrivate.key() }),
    }),
  )
  if (places.length === 0) return null
  return (
    <p role="note" className="mx-0.5 my-1 rounded-sm bg-soft px-2 py-1 text-[12px] text-muted">
      <Lock size={11} aria-hidden className="mr-1 inline" />
      {sessions?.length !== 0 && `${t('chats.madePrivate', counted(sessions))} `}
      {notes?.length !== 0 && `${t('chats.movedNotes', counted(notes))} `}
      <Button look="link" disabled={forget.isPending} onClick={() => forget.mutate({ agent })}>
        {t('common.close')}
      </Button>
    </p>
  )
}

function SessionRow({ summary, isCurrent }: { summary: ChatSummary; isCurrent: boolean }) {
  return (
    <div
      className={`group/row relative rounded-sm transition-colors duration-150 ${isCurrent ? 'bg-selected' : 'hover:bg-soft'}`}
    >
      <Link
        href={paths.chat(summary.id)}
        aria-current={isCurrent ? 'page' : undefined}
        className="flex min-h-[27px] items-center gap-1.5 rounded-sm px-2 group-focus-within/row:pr-8 group-hover/row:pr-8"
      >
        {summary.pinned && <Pin size={11} aria-label={t('chats.pinned')} className="shrink-0 text-muted" />}
        {summary.isPrivate && <PrivateMark label={t('chats.private')} />}
        <span className="min-w-0 flex-1 truncate">{clipLine(summary.title) || t('nav.untitled')}</span>
        {summary.kept > 0 && (
          <span
            role="img"
            aria-label={t('chats.kept', { count: summary.kept })}
            title={t('chats.kept', { count: summary.kept })}
            className="tabular flex items-center gap-0.5 text-[11px] text-muted"
          >
            <Bookmark size={10} aria-hidden /> {formatNumber(summary.kept)}
          </span>
        )}
      </Link>
      <span className="absolute top-0 right-0 opacity-0 group-focus-within/row:opacity-100 group-hover/row:opacity-100 has-[[data-popup-open]]:opacity-100">
        <ChatMenu summary={summary} label={t('chats.menuOf', { title: clipLine(summary.title, 100) })} />
      </span>
    </div>
  )
}

function SearchResults({ query }: { query: string }) {
  const { id: agent } = useAgent()
  const deferredQuery = useDeferredValue(query)
  const results = useQuery(api.chats.find.queryOptions({ input: { agent, query: deferredQuery } }))
  if (results.data?.length === 0) return <p className="px-2 pt-4 text-muted">{t('chats.nothing', { query })}</p>
  const words = deferredQuery.split(/\s+/)
  return (
    <section aria-label={t('chats.found')} className="pt-2">
      {(results.data ?? []).map(({ id, title, message, snippet }) => (
        <Link key={id} href={paths.chat(id, message)} className="block rounded-sm px-2 py-1 hover:bg-soft">
          <span className="block truncate">
            <PlaceMark path={`sessions/${id}.jsonl`} />
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

function toRows(sessions: readonly ChatSummary[]): (Group | ChatSummary)[] {
  const midnight = startOfDay(0)
  const previousMidnight = startOfDay(1)
  const groupOf = ({ pinned, updatedAt }: ChatSummary): Group => {
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

const keyOfRow = (row: Group | ChatSummary) => (typeof row === 'string' ? row : row.id)
const heightOf = (row: Group | ChatSummary) => (typeof row === 'string' ? 38 : 27)

export function ChatMenu({ summary, label = t('chats.menu') }: { summary: ChatSummary; label?: string }) {
  const openSession = sessionAt(useEncodedPath())
  const [dialog, setDialog] = useState<'rename' | 'release' | 'delete'>()
  const closeDialog = () => setDialog(undefined)
  const target = { agent: useAgent().id, session: summary.id }
  const rename = useMutation(api.chats.rename.mutationOptions())
  const pin = useMutation(api.chats.pin.mutationOptions())
  const recall = useMutation(api.chats.setWithoutRecall.mutationOptions())
  const save = useMutation(api.chats.export.mutationOptions({ onSuccess: ({ name, text }) => download(name, text) }))
  const makePrivate = useMutation(
    api.chats.makePrivate.mutationOptions({ onSuccess: () => toast.success(t('chat.madePrivate')) }),
  )
  const remove = useMutation(
    api.chats.remove.mutationOptions({
      onSuccess() {
        if (openSession === summary.id) navigate(paths.chat())
        const title = clipLine(summary.title, 100) || t('nav.untitled')
        showSuccess(t('chats.removed', { title }), () => client.chats.restore(target), { look: 'plain' })
      },
    }),
  )
  return (
    <>
      <DotsMenu label={label}>
        <ActionItem onClick={() => setDialog('rename')}>{t('chats.rename')}</ActionItem>
        <ActionItem onClick={() => pin.mutate({ ...target, pinned: !summary.pinned })}>
          {t(summary.pinned ? 'chats.unpin' : 'chats.pin')}
        </ActionItem>
        {!summary.isWithoutMemory && (
          <ActionItem onClick={() => recall.mutate({ ...target, isWithoutRecall: !summary.isWithoutRecall })}>
            {t(summary.isWithoutRecall ? 'chats.recall' : 'chats.noRecall')}
          </ActionItem>
        )}
        {summary.isPrivate ? (
          <ActionItem onClick={() => setDialog('release')}>{t('release.open')}</ActionItem>
        ) : (
          <ActionItem onClick={() => makePrivate.mutate(target)}>{t('private.lockThis')}</ActionItem>
        )}
        <ActionItem onClick={() => save.mutate({ ...target, format: 'markdown' })}>
          {t('chats.exportMarkdown')}
        </ActionItem>
        <ActionItem onClick={() => save.mutate({ ...target, format: 'jsonl' })}>{t('chats.exportJsonl')}</ActionItem>
        <ActionSeparator />
        <ActionItem onClick={() => (summary.areNotesMissing ? setDialog('delete') : remove.mutate(target))}>
          {t('file.delete')}
        </ActionItem>
      </DotsMenu>
      {dialog === 'delete' && (
        <DeleteDialog target={target} onDelete={() => remove.mutate(target)} onClose={closeDialog} />
      )}
      {dialog === 'release' && <ReleaseDialog target={target} onClose={closeDialog} />}
      {dialog === 'rename' && (
        <PromptDialog
          title={t('chats.rename')}
          label={t('chats.name')}
          initial={summary.title}
          action={t('file.save')}
          onClose={closeDialog}
          onSubmit={(name) => rename.mutate({ ...target, name })}
        />
      )}
    </>
  )
}

function ReleaseDialog({ target, onClose }: Omit<DeleteDialogProps, 'onDelete'>) {
  const preview = useQuery(api.chats.previewRelease.queryOptions({ input: target, gcTime: 0 }))
  const release = useMutation(
    api.chats.release.mutationOptions({
      onSuccess() {
        toast.success(t('release.done'))
        onClose()
      },
    }),
  )
  return (
    <Dialog
      title={t('release.title')}
      action={t('release.release')}
      canSubmit={preview.data !== undefined && !release.isPending}
      onSubmit={() => release.mutate(target)}
      onClose={onClose}
    >
      <p>{t('release.hint')}</p>
      <QueryView query={preview} lines={3}>
        {({ messages, lines, lineCount, notes }) => (
          <>
            <p>{t('release.messages', { count: messages })}</p>
            {lineCount > 0 && (
              <>
                <p>{t('release.lines', { count: lineCount })}</p>
                <LineList lines={lines} count={lineCount} />
              </>
            )}
            {notes.length > 0 && <p>{t('release.notes', { count: notes.length, paths: notes.join(', ') })}</p>}
          </>
        )}
      </QueryView>
    </Dialog>
  )
}

interface DeleteDialogProps {
  readonly target: ChatAddress
  readonly onDelete: () => void
  readonly onClose: () => void
}

function DeleteDialog({ target, onDelete, onClose }: DeleteDialogProps) {
  const remove = () => {
    onClose()
    onDelete()
  }
  const takeNotes = useMutation(
    api.chats.takeNotes.mutationOptions({ onSuccess: ({ isComplete }) => isComplete && remove() }),
  )
  return (
    <Dialog
      title={t('chats.removeTitle')}
      action={t(takeNotes.isPending ? 'chats.savingNotes' : 'chats.saveNotesAndRemove')}
      canSubmit={!takeNotes.isPending}
      aside={
        <Button look="quiet" onClick={remove}>
          {t('chats.removeWithoutNotes')}
        </Button>
      }
      onSubmit={() => takeNotes.mutate(target)}
      onClose={onClose}
    >
      <p>{t('chats.notesMissing')}</p>
      {takeNotes.data?.isComplete === false && <p className="text-warning">{t('chats.notesFailed')}</p>}
    </Dialog>
  )
}
