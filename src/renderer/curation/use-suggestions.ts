import { t } from 'i18next'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { toast } from 'sonner'
import type { Suggestion, UndoConflict } from '#shared/contract/index.ts'
import { api, client } from '#lib/api/client.ts'
import { runWithErrorToast, showSuccess, undoToastMs } from '#lib/feedback/toast.ts'

const dayMs = 86_400_000
export const snoozes = { day: dayMs, week: 7 * dayMs, month: 30 * dayMs } as const
export type Snooze = keyof typeof snoozes

export const suggestionTabs = ['open', 'done'] as const

/** Returns the state and actions of the inbox. @param initial id of the suggestion to select first */
export function useSuggestions(agent: string, initial: string | undefined) {
  const query = useQuery(api.suggestions.list.queryOptions({ input: { agent } }))
  const [tab, setTab] = useState<(typeof suggestionTabs)[number]>('open')
  /** The selected suggestion and its index: when it is removed, the next one moves to this index and is selected. */
  const [selection, setSelection] = useState({ id: initial, index: 0 })
  const [checkedIds, setCheckedIds] = useState<ReadonlySet<string>>(noIds)
  const { runAction, ...undoable } = useUndoableActions((ids) =>
    setCheckedIds((checked) => checked.difference(new Set(ids))),
  )
  const suggestions: readonly Suggestion[] = query.data?.[tab] ?? []
  const selectedIndex = suggestions.findIndex(({ id }) => id === selection.id)
  const index = selectedIndex >= 0 ? selectedIndex : Math.min(selection.index, suggestions.length - 1)
  const current = suggestions[index]
  const checked = suggestions.filter(({ id }) => checkedIds.has(id))
  const targets = checked.length > 0 ? checked : current ? [current] : []
  const ids = targets.map(({ id }) => id)

  const selectAt = (position: number) => {
    const next = Math.max(0, Math.min(suggestions.length - 1, position))
    setSelection({ id: suggestions[next]?.id, index: next })
  }
  const toggleChecked = (id: string) => setCheckedIds(checkedIds.symmetricDifference(new Set([id])))
  const reopenAction = (reopenedIds: string[]) => () => client.suggestions.reopen({ agent, ids: reopenedIds })
  const closeTargets = async (text: 'suggestions.refused' | 'suggestions.snoozed', action: () => Promise<unknown>) => {
    if (ids.length === 0 || tab !== 'open') return
    await runAction(action, ids, () => ({ text: t(text, { count: ids.length }), undo: reopenAction(ids) }))
  }
  const undoAction = (acceptance: number) => () => client.suggestions.undo({ agent, acceptance })
  const accept = (acceptedIds: string[], prepare?: () => Promise<unknown>) =>
    runAction(
      () => Promise.resolve(prepare?.()).then(() => client.suggestions.accept({ agent, ids: acceptedIds })),
      acceptedIds,
      ({ acceptance, accepted, left, gone }) => {
        const texts = [
          t('suggestions.accepted', { count: accepted }),
          ...(left > 0 ? [t('suggestions.left', { count: left })] : []),
          ...(gone > 0 ? [t('suggestions.gone', { count: gone })] : []),
        ]
        return { text: texts.join(' '), undo: acceptance === null ? reopenAction(acceptedIds) : undoAction(acceptance) }
      },
    )

  return {
    query,
    tab,
    suggestions,
    current,
    index,
    checkedIds,
    /** The checked suggestions, or the selected one if none is checked. */
    targets,
    ...undoable,
    showTab: (next: typeof tab) => {
      setTab(next)
      setCheckedIds(noIds)
      setSelection({ id: undefined, index: 0 })
    },
    select: (id: string) => setSelection({ id, index: suggestions.findIndex((suggestion) => suggestion.id === id) }),
    selectAt,
    toggleChecked,
    toggleAll: () =>
      setCheckedIds(checkedIds.size === suggestions.length ? noIds : new Set(suggestions.map(({ id }) => id))),
    uncheckAll: () => setCheckedIds(noIds),
    checkOnly: (newIds: readonly string[]) => setCheckedIds(new Set(newIds)),
    accept: async () => {
      if (ids.length > 0 && tab === 'open') await accept(ids)
    },
    acceptEdited: ({ id }: Suggestion, after: string[][]) =>
      accept([id], () => client.suggestions.edit({ agent, id, after })),
    refuse: () => closeTargets('suggestions.refused', () => client.suggestions.refuse({ agent, ids })),
    snooze: (span: Snooze) =>
      closeTargets('suggestions.snoozed', () =>
        client.suggestions.snooze({ agent, ids, until: Date.now() + snoozes[span] }),
      ),
    restore: async ({ acceptance, id }: Suggestion) => {
      const undo = acceptance === undefined ? reopenAction([id]) : undoAction(acceptance)
      await runAction(() => undoable.runUndo(undo), [id])
    },
    swapLines: async (suggestion: Suggestion) => {
      if (tab !== 'open' || !canSwapLines(suggestion)) return
      await runAction(() => client.suggestions.turn({ agent, id: suggestion.id }), [suggestion.id])
    },
    review: () => void runWithErrorToast(client.suggestions.review({ agent })),
    scan: () => void runWithErrorToast(client.suggestions.look({ agent })),
    stop: () => void runWithErrorToast(client.suggestions.stop({ agent })),
  }
}

export function canSwapLines({ rule, evidence, files }: Suggestion): boolean {
  return (rule === 'contradiction' || rule === 'supersedes') && evidence.length === 2 && files.length === 1
}

export type Suggestions = ReturnType<typeof useSuggestions>

const noIds: ReadonlySet<string> = new Set()

type Undo = () => Promise<{ readonly stuck?: readonly UndoConflict[] }>

const toastId = 'upkeep'

/** Runs actions on suggestions one after the other, with undo. @param onDone called with the ids of an action that succeeds */
function useUndoableActions(onDone: (ids: readonly string[]) => void) {
  const [waiting, setWaiting] = useState(0)
  const [conflicts, setConflicts] = useState<readonly UndoConflict[]>([])
  const undoStack = useRef<Undo[]>([])
  const queue = useRef<Promise<unknown>>(Promise.resolve())
  /** Suggestions of the actions in the queue. The list may still show them. */
  const queuedIds = useRef(new Set<string>())

  const runUndo = async (undo: Undo) => {
    const newConflicts = (await undo()).stuck ?? []
    undoStack.current = undoStack.current.filter((other) => other !== undo)
    setConflicts(newConflicts)
    const options = { id: toastId, duration: undoToastMs }
    if (newConflicts.length > 0) toast.warning(t('suggestions.stuck', { count: newConflicts.length }), options)
    else toast.dismiss(toastId)
  }
  /** Queues an action. Does nothing if an action on one of the suggestions is in the queue. */
  const runAction = async <T>(
    action: () => Promise<T>,
    ids: readonly string[] = [],
    toastOf?: (value: T) => { readonly text: string; readonly undo: Undo },
  ): Promise<void> => {
    if (ids.some((id) => queuedIds.current.has(id))) return
    for (const id of ids) queuedIds.current.add(id)
    setWaiting((count) => count + 1)
    const run = async () => {
      const outcome = await runWithErrorToast(action())
      const report = outcome && toastOf?.(outcome.value)
      if (report) {
        undoStack.current.push(report.undo)
        setConflicts([])
        // Each action replaces the toast of the previous one. The key `u` undoes earlier actions.
        showSuccess(report.text, () => runUndo(report.undo), { id: toastId })
      }
      for (const id of ids) queuedIds.current.delete(id)
      setWaiting((count) => count - 1)
      if (outcome) onDone(ids)
    }
    queue.current = queue.current.then(run)
    await queue.current
  }
  const undo = () =>
    runAction(async () => {
      const last = undoStack.current.pop()
      if (last) await runUndo(last)
    })
  return { isBusy: waiting > 0, conflicts, runAction, undo, runUndo, clearConflicts: () => setConflicts([]) }
}
