/** Whether a change still stands, as the history has it: the same in every window, and after a reload. */
import { useQuery } from '@tanstack/react-query'
import { pickHunks } from '#shared/util/patch-hunks.ts'
import { api } from '../api/client.ts'
import { useRedo, useUndo } from './use-undo.ts'

type Standing = 'there' | 'undone' | 'changed'

export interface StandingChange {
  /** Of each hunk. What is not known yet is taken to stand: taking it back says when it does not. */
  readonly of: (place: number) => Standing
  /** Of all of it: it stands while any of it can be taken back. */
  readonly whole: Standing
  readonly isUndoing: boolean
  /** Takes back what still stands of it, or of one hunk. */
  readonly undo: (place?: number) => void
  /** Does again what was taken back of it, or one hunk. */
  readonly redo: (place?: number) => void
}

export function useStanding(agent: string, path: string, patch: string): StandingChange {
  const known = useQuery(api.history.standing.queryOptions({ input: { agent, path, patch } })).data
  const undo = useUndo()
  const redo = useRedo()
  const of = (place: number) => known?.hunks[place] ?? 'there'
  const stands = !known || known.hunks.includes('there')
  return {
    of,
    whole: stands ? 'there' : known.hunks.includes('changed') ? 'changed' : 'undone',
    isUndoing: undo.isPending || redo.isPending,
    undo: (place) =>
      undo.mutate({
        agent,
        path: known?.path ?? path,
        patch: pickHunks(patch, (at) => (place === undefined ? of(at) === 'there' : at === place)),
      }),
    redo: (place) =>
      redo.mutate({
        agent,
        path: known?.path ?? path,
        patch: pickHunks(patch, (at) => (place === undefined ? of(at) === 'undone' : at === place)),
      }),
  }
}
