import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { runWithErrorToast, dismissToast, showSuccess, showWarning } from '#lib/feedback/toast.ts'

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

/** Runs actions on suggestions with undo. @param onDone called after an action succeeds */
export function useUndoableActions(onDone: () => void) {
  const { t } = useTranslation()
  const [isBusy, setIsBusy] = useState(false)
  const [conflicts, setConflicts] = useState<readonly UndoConflict[]>([])
  const undoStack = useRef<ActionToast['undo'][]>([])
  /** Copy of `isBusy` that changes at once; the state changes only with the next render. */
  const isBusyNow = useRef(false)
  const pendingUndos = useRef(0)

  const runUndo = async (undo: ActionToast['undo']) => {
    const newConflicts = (await undo())?.stuck ?? []
    undoStack.current = undoStack.current.filter((other) => other !== undo)
    setConflicts(newConflicts)
    if (newConflicts.length > 0) showWarning(t('upkeep.stuck', { count: newConflicts.length }), { id: toastId })
    else dismissToast(toastId)
  }
  const runAction = async <T>(
    action: () => Promise<T>,
    toastOf?: (value: T) => ActionToast | undefined,
  ): Promise<T | undefined> => {
    if (isBusyNow.current) return undefined
    isBusyNow.current = true
    setIsBusy(true)
    const outcome = await runWithErrorToast(action())
    const toast = outcome && toastOf?.(outcome.value)
    if (toast) {
      undoStack.current.push(toast.undo)
      setConflicts([])
      // Each action replaces the toast of the previous one. The key `u` undoes earlier actions.
      showSuccess(toast.text, () => runUndo(toast.undo), { id: toastId })
    }
    isBusyNow.current = false
    setIsBusy(false)
    if (outcome) onDone()
    if (pendingUndos.current > 0) {
      pendingUndos.current -= 1
      void undoLast()
    }
    return outcome?.value
  }
  const undoLast = async () => {
    if (isBusyNow.current) {
      pendingUndos.current += 1
      return
    }
    const last = undoStack.current.pop()
    if (last) await runAction(() => runUndo(last))
    else pendingUndos.current = 0
  }
  return { isBusy, conflicts, runAction, undo: undoLast, runUndo, clearConflicts: () => setConflicts([]) }
}
