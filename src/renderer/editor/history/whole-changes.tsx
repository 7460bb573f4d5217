/** What changed many notes at once and can be taken back at once: moves, with the links that were written anew, tags with another name, and replacements. */
import { useMutation, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '#lib/api/client.ts'
import { formatMoment } from '#lib/i18n/format.ts'
import { clipLine } from '#lib/util/clip.ts'
import { Button } from '#lib/ui/button.tsx'
import { takeBackMove, takeBackRename, takeBackReplacement } from './revert-change.ts'

/** Of a text that was found, or that took its place. */
const maxShown = 60

export function WholeChanges({ agent }: { agent: string }) {
  const { t } = useTranslation()
  const moves = useMovesBack(agent)
  const renames = useRenamesBack(agent)
  const replacements = useReplacementsBack(agent)
  const changes = [...moves, ...renames, ...replacements].toSorted((one, other) => other.at - one.at)
  if (changes.length === 0) return null
  return (
    <section aria-label={t('changes.whole')} className="border-b border-soft px-5 py-2 max-sm:px-3">
      <h2 className="text-[12px] text-muted">{t('changes.whole')}</h2>
      <ul className="max-h-32 overflow-y-auto">
        {changes.map(({ id, name, extent, at, undo, of, isPending, takeBack }) => (
          <li key={id} className="flex flex-wrap items-baseline gap-x-3">
            <span className="min-w-0 font-mono text-[12px] break-all">{name}</span>
            {extent !== undefined && <span className="text-[12px] text-muted">{extent}</span>}
            <span className="ml-auto flex shrink-0 items-baseline gap-x-3">
              <span className="text-[12px] text-muted">{formatMoment(at)}</span>
              <Button look="link" aria-label={`${undo}: ${of}`} disabled={isPending} onClick={takeBack}>
                {undo}
              </Button>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

interface WholeChange {
  readonly id: string
  readonly name: ReactNode
  /** How many notes it changed. */
  readonly extent: string | undefined
  readonly at: number
  /** What taking it back is called, and what is taken back. */
  readonly undo: string
  readonly of: string
  readonly isPending: boolean
  readonly takeBack: () => void
}

interface Of {
  readonly id: string
  readonly from: string
}

function useMovesBack(agent: string): WholeChange[] {
  const { t } = useTranslation()
  // What was moved before this view opened is listed, too.
  const moves = useQuery(api.links.moves.queryOptions({ input: { agent }, refetchOnMount: 'always' }))
  const undo = useMutation({ mutationFn: (of: Of) => takeBackMove(agent, of.id, of.from) })
  return (moves.data ?? []).map(({ undo: id, from, to, at, notes }) => ({
    id,
    name: `${from} → ${to}`,
    extent: notes > 0 ? t('links.inNotes', { count: notes }) : undefined,
    at,
    undo: t('changes.undoMove'),
    of: from,
    isPending: undo.isPending,
    takeBack: () => undo.mutate({ id, from }),
  }))
}

function useRenamesBack(agent: string): WholeChange[] {
  const { t } = useTranslation()
  const renames = useQuery(api.tags.renames.queryOptions({ input: { agent }, refetchOnMount: 'always' }))
  const undo = useMutation({ mutationFn: (of: Of) => takeBackRename(agent, of.id, of.from) })
  return (renames.data ?? []).map(({ undo: id, from, to, at, notes }) => ({
    id,
    name: `#${from} → #${to}`,
    extent: t('links.inNotes', { count: notes }),
    at,
    undo: t('changes.undoRename'),
    of: `#${from}`,
    isPending: undo.isPending,
    takeBack: () => undo.mutate({ id, from }),
  }))
}

function useReplacementsBack(agent: string): WholeChange[] {
  const { t } = useTranslation()
  const past = useQuery(api.find.past.queryOptions({ input: { agent }, refetchOnMount: 'always' }))
  const undo = useMutation({ mutationFn: (id: string) => takeBackReplacement(agent, id) })
  return (past.data ?? []).map(({ undo: id, text, replacement, at, count, files }) => ({
    id,
    name: `${clipLine(text, maxShown)} → ${clipLine(replacement, maxShown)}`,
    extent: t('find.replaced', { count, files: t('find.inFiles', { count: files }) }),
    at,
    undo: t('changes.undoReplacement'),
    of: clipLine(text, maxShown),
    isPending: undo.isPending,
    takeBack: () => undo.mutate(id),
  }))
}
