import { useQuery } from '@tanstack/react-query'
import { t } from 'i18next'
import { Lock } from 'lucide-react'
import type { FileEntry } from '#shared/contract/index.ts'
import { api } from '../api/client.ts'
import { sessionOfPath } from '#shared/util/agent-files.ts'

type NotePrivacy = NonNullable<FileEntry['privacy']>

/** The lock of private notes, folders and chats, with a tooltip and an accessible name. */
export function PrivateMark({ label, isPart = false }: { label: string; isPart?: boolean }) {
  return (
    <span
      role="img"
      aria-label={label}
      title={label}
      data-testid="private"
      className={`inline-flex shrink-0 self-center ${isPart ? 'text-faint' : 'text-muted'}`}
    >
      <Lock size={11} aria-hidden />
    </span>
  )
}

/** The lock of a note; fainter if only a part of the note is private. */
export function NoteMark({ privacy: { isWhole, rule, problem } }: { privacy: NotePrivacy }) {
  const label =
    problem !== undefined
      ? t('private.problem', { value: problem })
      : rule !== undefined
        ? t('private.rule', { rule })
        : t(isWhole ? 'private.whole' : 'private.part')
  return <PrivateMark label={label} isPart={!isWhole} />
}

/** The lock of the note or chat at a path of the workspace; nothing if it is open. */
export function PlaceMark({ agent, path }: { agent: string; path: string }) {
  const session = sessionOfPath(path)
  const privacy = useQuery(
    api.workspace.list.queryOptions({
      input: { agent },
      enabled: session === undefined,
      select: (files) => files.find((file) => file.path === path)?.privacy,
    }),
  ).data
  const isPrivateChat = useQuery(
    api.sessions.list.queryOptions({
      input: { agent },
      enabled: session !== undefined,
      select: (sessions) => sessions.find(({ id }) => id === session)?.isPrivate === true,
    }),
  ).data
  if (!privacy && !isPrivateChat) return null
  return (
    <span className="mr-1 inline-flex shrink-0 self-center">
      {privacy ? <NoteMark privacy={privacy} /> : <PrivateMark label={t('session.private')} />}
    </span>
  )
}
