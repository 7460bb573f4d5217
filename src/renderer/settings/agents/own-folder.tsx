import { useMutation } from '@tanstack/react-query'
import { useId, useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import type { Agent } from '#shared/contract/index.ts'
import { appFolderName } from '#shared/util/agent-files.ts'
import { api, client } from '#lib/api/client.ts'
import { explainError } from '#lib/feedback/explain.ts'
import { showSuccess } from '#lib/feedback/toast.ts'
import { Button } from '#lib/ui/button.tsx'
import { Modal, ModalTitle } from '#lib/ui/modal.tsx'
import { useVaultSettings } from '#lib/notes/use-vault-settings.ts'

interface OwnFolderChoiceProps {
  /** Empty for the root. */
  readonly folder: string
  readonly onChoose: (folder: string) => void
}

export function OwnFolderChoice({ folder, onChoose }: OwnFolderChoiceProps) {
  const { t } = useTranslation()
  const group = useId()
  const [name, setName] = useState(folder === '' ? appFolderName : folder)
  const isTop = folder === ''
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="pb-1.5">{t('agents.ownFolderLead')}</legend>
      <label className="flex flex-wrap items-center gap-2">
        <input type="radio" name={group} checked={!isTop} onChange={() => onChoose(name)} />
        {t('agents.ownFolderApart')}
        <input
          value={name}
          aria-label={t('agents.ownFolderName')}
          spellCheck={false}
          onFocus={() => onChoose(name)}
          onChange={({ target: { value } }) => {
            setName(value)
            onChoose(value.trim() === '' ? appFolderName : value.trim())
          }}
          className="w-44 rounded-sm border border-line bg-paper px-2 py-1 font-mono text-[12px] outline-none focus:border-accent"
        />
      </label>
      <label className="flex items-center gap-2">
        <input type="radio" name={group} checked={isTop} onChange={() => onChoose('')} />
        {t('agents.ownFolderTop')}
      </label>
    </fieldset>
  )
}

/** Moves the agent's own files to another folder. */
export function OwnFolderDialog({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const { t } = useTranslation()
  const current = useVaultSettings(agent.id)?.own
  const [chosenFolder, setChosenFolder] = useState<string>()
  const folder = chosenFolder ?? current
  const move = useMutation({
    ...api.agents.moveOwn.mutationOptions(),
    meta: { handlesError: true },
    onSuccess: ({ moved, left }, { own }) => {
      const undo = () => client.agents.moveOwn({ agent: agent.id, own: current ?? '' })
      const place = own === '' ? t('vault.top') : own
      showSuccess(t('agents.ownFolderMoved', { count: moved.length, place }), undo)
      if (left.length > 0) toast.warning(t('agents.ownFolderLeft', { paths: left.join(', ') }))
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (folder !== undefined) move.mutate({ agent: agent.id, own: folder })
  }
  return (
    <Modal
      className="top-[22vh] left-1/2 w-[min(440px,92vw)] -translate-x-1/2 rounded-lg border border-line bg-raised p-4 shadow-float"
      onClose={onClose}
    >
      <form onSubmit={submit} className="flex flex-col gap-3">
        <ModalTitle>{t('agents.ownFolder')}</ModalTitle>
        {current !== undefined && <OwnFolderChoice folder={folder ?? current} onChoose={setChosenFolder} />}
        <p className="text-[12px] text-muted">{t('agents.ownFolderHint')}</p>
        {move.error && (
          <p role="alert" className="text-bad">
            {explainError(move.error)}
          </p>
        )}
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button look="primary" type="submit" disabled={folder === undefined || folder === current || move.isPending}>
            {t('agents.ownFolderMove')}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
