import { useId, useRef, useState } from 'react'
import { Dialog } from './dialog.tsx'
import { explainError } from '../feedback/explain.ts'

interface PromptDialogProps {
  readonly title: string
  readonly label: string
  readonly initial: string
  readonly action: string
  /** Uses a monospaced font and selects the file name first. */
  readonly isPath?: boolean
  /** @returns `next` if another dialog replaces this one, which then does not close. @throws an error to show */
  readonly onSubmit: (value: string) => void | Promise<'next' | void>
  readonly onClose: () => void
}

export function PromptDialog({ title, label, initial, action, isPath = false, onSubmit, onClose }: PromptDialogProps) {
  const [value, setValue] = useState(initial)
  const [errorText, setErrorText] = useState<string>()
  const [isSubmitting, setIsSubmitting] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const errorId = useId()
  const submit = async () => {
    if (value.trim() === '' || isSubmitting) return
    setIsSubmitting(true)
    try {
      if ((await onSubmit(value.trim())) !== 'next') onClose()
    } catch (error) {
      setIsSubmitting(false)
      setErrorText(explainError(error))
      field.current?.focus()
    }
  }
  const selectName = (input: HTMLInputElement) => {
    const dot = initial.lastIndexOf('.')
    if (isPath && dot > 0) input.setSelectionRange(initial.lastIndexOf('/') + 1, dot)
    else input.select()
  }
  return (
    <Dialog
      title={title}
      action={action}
      canSubmit={value.trim() !== ''}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <input
        ref={field}
        autoFocus
        value={value}
        maxLength={isPath ? 1000 : 200}
        spellCheck={!isPath}
        aria-label={label}
        aria-invalid={errorText !== undefined}
        aria-describedby={errorText === undefined ? undefined : errorId}
        onChange={(event) => {
          setValue(event.target.value)
          setErrorText(undefined)
        }}
        onFocus={(event) => value === initial && selectName(event.target)}
        className={`rounded-sm border border-line bg-paper px-3 py-2 outline-none focus:border-accent ${isPath ? 'font-mono text-[12px]' : ''}`}
      />
      {errorText !== undefined && (
        <p id={errorId} role="alert" className="max-h-40 overflow-y-auto text-[12px] wrap-anywhere text-bad">
          {errorText}
        </p>
      )}
    </Dialog>
  )
}
