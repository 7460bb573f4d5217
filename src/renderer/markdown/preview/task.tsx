import { useContext, type ComponentProps } from 'react'
import { useTranslation } from 'react-i18next'
import { tick } from './line-edits.ts'
import { RowLine, useNote } from './note-context.ts'

/** What the signs mean that Obsidian's themes and plugins agree on. */
const meanings = {
  '/': 'begun',
  '-': 'cancelled',
  '>': 'forwarded',
  '<': 'scheduled',
  '?': 'question',
  '!': 'important',
  '*': 'star',
} as const

/** Drawn in place of what cannot be told apart in a small box. */
const signs: Readonly<Record<string, string>> = { '/': '', '-': '–', '>': '›', '<': '‹' }

export function TaskBox(props: ComponentProps<'input'>) {
  const { t } = useTranslation()
  const isDone = props.checked === true
  const change = useTick((props as { 'data-line'?: number | string })['data-line'], isDone ? 'x' : ' ')
  return (
    <input
      type="checkbox"
      aria-label={t('reading.done')}
      checked={isDone}
      disabled={change === undefined}
      onChange={change}
    />
  )
}

export function TaskMark({ mark, at }: { mark: string; at: number | string | undefined }) {
  const { t } = useTranslation()
  const change = useTick(at, mark)
  const meaning = Object.hasOwn(meanings, mark) ? meanings[mark as keyof typeof meanings] : undefined
  const label = meaning === undefined ? t('reading.task.other', { mark }) : t(`reading.task.${meaning}`)
  return (
    <button
      type="button"
      role="checkbox"
      aria-checked="mixed"
      aria-label={label}
      title={label}
      data-mark={mark}
      className="task-mark"
      disabled={change === undefined}
      onClick={change}
    >
      {signs[mark] ?? mark}
    </button>
  )
}

/** Undefined where it cannot be ticked. @param at line of the row, 1-based */
function useTick(at: number | string | undefined, was: string): (() => void) | undefined {
  const { onEdit } = useNote()
  const lineOf = useContext(RowLine)
  if (onEdit === undefined || at === undefined) return undefined
  return () => {
    const line = lineOf(Number(at))
    if (line !== undefined) onEdit(line, tick(was))
  }
}
