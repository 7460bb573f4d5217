import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { runWithErrorToast, dismissToast, showSuccess, showWarning } from '#lib/feedback/toast.ts'

/** A place whose later change prevents an undo. `line` is 1-based, or null if the file is gone. */
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
  const [stuck, setStuck] = useState<readonly UndoConflict[]>([])
  const done = useRef<ActionToast['undo'][]>([])
  /** A ref, since the state changes only with the next render. */
  const busy = useRef(false)
  const undosWanted = useRef(0)

  const takeBack = async (undo: ActionToast['undo']) => {
    const left = (await undo())?.stuck ?? []
    done.current = done.current.filter((one) => one !== undo)
    setStuck(left)
    if (left.length > 0) showWarning(t('upkeep.stuck', { count: left.length }), { id: toastId })
    else dismissToast(toastId)
  }
  const act = async <T>(
    work: () => Promise<T>,
    told?: (value: T) => ActionToast | undefined,
  ): Promise<T | undefined> => {
    if (busy.current) return undefined
    busy.current = true
    setIsBusy(true)
    const outcome = await runWithErrorToast(work())
    const said = outcome && told?.(outcome.value)
    if (said) {
      done.current.push(said.undo)
      setStuck([])
      // One toast at a time: `u` undoes earlier actions.
      showSuccess(said.text, () => takeBack(said.undo), { id: toastId })
    }
    busy.current = false
    setIsBusy(false)
    if (outcome) onDone()
    if (undosWanted.current > 0) {
      undosWanted.current -= 1
      void undo()
    }
    return outcome?.value
  }
  const undo = async () => {
    if (busy.current) {
      undosWanted.current += 1
      return
    }
    const last = done.current.pop()
    if (last) await act(() => takeBack(last))
    else undosWanted.current = 0
  }
  return { isBusy, stuck, act, undo, takeBack, forgetStuck: () => setStuck([]) }
}
