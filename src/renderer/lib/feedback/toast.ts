import i18next from 'i18next'
import { toast } from 'sonner'
import { explainError } from './explain.ts'

/** Once, however many things fail for the same reason at the same time. */
export function tellFailure(error: unknown): void {
  const told = explainError(error)
  toast.error(told, { id: told })
}

/**
 * For work that is no mutation of a component: of a toast, a stream, several calls in a row.
 * @returns what came of it; undefined when it failed, which is told
 */
export async function attempt<T>(work: Promise<T>): Promise<{ readonly value: T } | undefined> {
  try {
    return { value: await work }
  } catch (error) {
    tellFailure(error)
    return undefined
  }
}

/** For work that is asked for in a field: why it cannot be is told there. @returns undefined when it was done */
export async function refusalOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    return explainError(error)
  }
}

/** Long enough to read it, think, and reach for it; it stays while it is pointed at. */
const undoMs = 10_000

interface Look {
  readonly look?: 'plain' | 'success'
  /** Takes the place of what was told under the same name. */
  readonly id?: string
}

/** A failed way back waits until something was done about what stood in its way. */
const againMs = 60_000

/** @param undo takes it back; a failure of that is told, and it is offered again */
export function tellDone(text: string, undo: () => Promise<unknown>, { look = 'success', id }: Look = {}): void {
  const tell = look === 'plain' ? toast : toast.success
  tell(text, { duration: undoMs, action: wayBack(undo), ...(id === undefined ? {} : { id }) })
}

interface Seen {
  readonly id: string
  readonly description: string
  readonly undo: (() => Promise<unknown>) | undefined
  /** Where more of it is. */
  readonly onward: { readonly label: string; readonly go: () => void }
  readonly onSeen: () => void
}

/** What was done while nobody looked: it stays until somebody has dealt with it. */
export function tellUntilSeen(text: string, { id, description, undo, onward, onSeen }: Seen): void {
  const back = undo && wayBack(undo)
  const seen = (act: () => void) => () => {
    onSeen()
    act()
  }
  toast.info(text, {
    id,
    description,
    duration: Infinity,
    closeButton: true,
    onDismiss: onSeen,
    cancel: { label: onward.label, onClick: seen(onward.go) },
    ...(back && { action: { label: back.label, onClick: seen(back.onClick) } }),
  })
}

/** What was done in part, which the user has to look at. */
export function tellPartly(text: string, { id }: Pick<Look, 'id'> = {}): void {
  toast.warning(text, { duration: undoMs, ...(id === undefined ? {} : { id }) })
}

/** What was told under this name does not hold any more. */
export function forgetTold(id: string): void {
  toast.dismiss(id)
}

function wayBack(undo: () => Promise<unknown>) {
  const takeBack = async () => {
    try {
      await undo()
    } catch (error) {
      toast.error(explainError(error), { duration: againMs, action: wayBack(undo) })
    }
  }
  return { label: i18next.t('common.undo'), onClick: () => void takeBack() }
}
