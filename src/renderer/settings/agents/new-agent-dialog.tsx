import { Modal, ModalTitle } from '#lib/ui/modal.tsx'
import { useMutation } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { Agent } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { explainError } from '#lib/feedback/explain.ts'
import { currentLocale } from '#lib/i18n/index.ts'
import { Button } from '#lib/ui/button.tsx'
import { ColorChoice } from './color-choice.tsx'
import { agentColors } from './colors.ts'

interface NewAgentDialogProps {
  /** Agent whose settings are copied; defaults to the shared settings. */
  readonly template?: Agent | undefined
  readonly onCreated: (id: string) => void
  readonly onClose: () => void
}

export function NewAgentDialog({ template, onCreated, onClose }: NewAgentDialogProps) {
  const { t } = useTranslation()
  const [name, setName] = useState(template ? t('agents.copyOf', { name: template.name }) : '')
  const [workspace, setWorkspace] = useState('')
  const [color, setColor] = useState<string>(agentColors[1])
  const create = useMutation(
    api.agents.create.mutationOptions({
      meta: { handlesError: true },
      onSuccess: ({ agent }) => {
        onClose()
        onCreated(agent)
      },
    }),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate({
      name,
      color,
      locale: currentLocale(),
      ...(workspace.trim() === '' ? {} : { workspace }),
      ...(template ? { like: template.id } : {}),
    })
  }
  const field = 'rounded-sm border border-line bg-paper px-3 py-2 outline-none focus:border-accent'
  return (
    <Modal
      className="top-[18vh] left-1/2 w-[min(460px,92vw)] -translate-x-1/2 rounded-lg border border-line bg-raised p-4 shadow-float"
      onClose={onClose}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <ModalTitle>{template ? t('agents.duplicateOf', { name: template.name }) : t('agents.new')}</ModalTitle>
        <label className="flex flex-col gap-1">
          {t('agents.name')}
          <input
            autoFocus
            value={name}
            maxLength={60}
            required
            onChange={(event) => setName(event.target.value)}
            className={field}
          />
        </label>
        <label className="flex flex-col gap-1">
          {t('agents.folder')}
          <input
            value={workspace}
            spellCheck={false}
            placeholder={t('agents.folderOfItsOwn')}
            onChange={(event) => setWorkspace(event.target.value)}
            className={`${field} font-mono text-[12px]`}
          />
          <span className="text-[12px] text-muted">{t('agents.folderHint')}</span>
        </label>
        <ColorChoice value={color} onChoose={setColor} />
        {create.error && (
          <p role="alert" className="wrap-anywhere text-bad">
            {explainError(create.error)}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button look="primary" type="submit" disabled={name.trim() === '' || create.isPending}>
            {t('agents.create')}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
