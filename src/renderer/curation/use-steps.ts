import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { attempt, forgetTold, tellDone, tellPartly } from '#lib/feedback/toast.ts'

/** Where something stands that keeps a proposal from being taken back; the line is null where the file is gone. */
export interface StuckPlace {
  readonly proposal: string
  readonly path: string
  readonly line: number | null
}

interface Told {
  readonly text: string
  readonly undo: () => Promise<WayBack>
}

/** What taking a step back came to. */
type WayBack = { readonly stuck?: readonly StuckPlace[] } | void

const toastId = 'upkeep'

/** @param onDone a step was done */
export function useSteps(onDone: () => void) {
  const { t } = useTranslation()
  const [isBusy, setIsBusy] = useState(false)
  const [stuck, setStuck] = useState<readonly StuckPlace[]>([])
  /** Latest last. */
  const done = useRef<Told['undo'][]>([])
  /** Known at once, where the state is known with the next drawing. */
  const busy = useRef(false)
  /** `u` was pressed so often while the step that it means was under way. */
  const undosWanted = useRef(0)

  const takeBack = async (undo: Told['undo']) => {
    const left = (await undo())?.stuck ?? []
    done.current = done.current.filter((one) => one !== undo)
    setStuck(left)
    if (left.length > 0) tellPartly(t('upkeep.stuck', { count: left.length }), { id: toastId })
    else forgetTold(toastId)
  }
  /** @param told what is said when it is done, and what takes it back */
  const act = async <T>(work: () => Promise<T>, told?: (value: T) => Told | undefined): Promise<T | undefined> => {
    if (busy.current) return undefined
    busy.current = true
    setIsBusy(true)
    const outcome = await attempt(work())
    const said = outcome && told?.(outcome.value)
    if (said) {
      done.current.push(said.undo)
      setStuck([])
      // One at a time: the way back from the steps before is `u`.
      tellDone(said.text, () => takeBack(said.undo), { id: toastId })
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
