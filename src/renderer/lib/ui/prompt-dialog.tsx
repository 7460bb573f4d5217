import { Modal, ModalTitle } from './modal.tsx'
import { useId, useRef, useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from './button.tsx'

interface PromptDialogProps {
  readonly title: string
  readonly label: string
  readonly initial: string
  readonly action: string
  /** Uses a monospaced font and selects the file name first. */
  readonly isPath?: boolean
  /** @returns a sentence if the value is refused: the dialog shows it and stays open */
  readonly onSubmit: (value: string) => void | Promise<string | undefined>
  readonly onClose: () => void
}

export function PromptDialog({ title, label, initial, action, isPath = false, onSubmit, onClose }: PromptDialogProps) {
  const { t } = useTranslation()
  const [value, setValue] = useState(initial)
  const [refusal, setRefusal] = useState<string>()
  const [isAsked, setIsAsked] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const id = useId()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (value.trim() === '' || isAsked) return
    setIsAsked(true)
    const reason = await onSubmit(value.trim())
    if (reason === undefined) return onClose()
    setIsAsked(false)
    setRefusal(reason)
    field.current?.focus()
  }
  const selectName = (field: HTMLInputElement) => {
    const dot = initial.lastIndexOf('.')
    if (isPath && dot > 0) field.setSelectionRange(initial.lastIndexOf('/') + 1, dot)
    else field.select()
  }
  return (
    <Modal
      className="top-[22vh] left-1/2 w-[min(440px,92vw)] -translate-x-1/2 rounded-lg border border-line bg-raised p-4 shadow-float"
      onClose={onClose}
    >
      <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
        <ModalTitle>{title}</ModalTitle>
        <input
          ref={field}
          autoFocus
          value={value}
          maxLength={isPath ? 1000 : 200}
          spellCheck={!isPath}
          aria-label={label}
          aria-invalid={refusal !== undefined}
          aria-describedby={refusal === undefined ? undefined : id}
          onChange={(event) => {
            setValue(event.target.value)
            setRefusal(undefined)
          }}
          onFocus={(event) => refusal === undefined && !isAsked && selectName(event.target)}
          className={`rounded-sm border border-line bg-paper px-3 py-2 outline-none focus:border-accent ${isPath ? 'font-mono text-[12px]' : ''}`}
        />
        {refusal !== undefined && (
          <p id={id} role="alert" className="max-h-40 overflow-y-auto text-[12px] wrap-anywhere text-bad">
            {refusal}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button look="primary" type="submit" disabled={value.trim() === ''}>
            {action}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
