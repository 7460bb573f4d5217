import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import { runWithErrorToast, showSuccess, undoToastMs } from '#lib/feedback/toast.ts'

/** A line that was changed after an action, so the action cannot be undone. `line` is null if the file is missing. */
export interface UndoConflict {
  readonly proposal: string
  readonly path: string
  readonly line: number | null
}

interface ActionToast {
  readonly text: string
  readonly undo: () => Promise<UndoResult>
}

type UndoResult = { readonly stuck?: readonly UndoConflict[] } | void

const toastId = 'upkeep'

/** Runs actions on suggestions one after the other, with undo. @param onDone called after an action succeeds */
export function useUndoableActions(onDone: () => void) {
  const { t } = useTranslation()
  const [waiting, setWaiting] = useState(0)
  const [conflicts, setConflicts] = useState<readonly UndoConflict[]>([])
  const undoStack = useRef<ActionToast['undo'][]>([])
  const queue = useRef<Promise<unknown>>(Promise.resolve())
  /** Suggestions of the actions in the queue. The list may still show them. */
  const queuedIds = useRef(new Set<string>())

  const runUndo = async (undo: ActionToast['undo']) => {
    const newConflicts = (await undo())?.stuck ?? []
    undoStack.current = undoStack.current.filter((other) => other !== undo)
    setConflicts(newConflicts)
    const options = { id: toastId, duration: undoToastMs }
    if (newConflicts.length > 0) toast.warning(t('upkeep.stuck', { count: newConflicts.length }), options)
    else toast.dismiss(toastId)
  }
  /** Queues an action. Does nothing if an action on one of the suggestions is in the queue. */
  const runAction = async <T>(
    action: () => Promise<T>,
    ids: readonly string[] = [],
    toastOf?: (value: T) => ActionToast | undefined,
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
      if (outcome) onDone()
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
