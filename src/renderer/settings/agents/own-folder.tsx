import { t } from 'i18next'
import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { toast } from 'sonner'
import type { Agent } from '#shared/contract/index.ts'
import { appFolderName } from '#shared/util/agent-files.ts'
import { api, client } from '#lib/api/client.ts'
import { ErrorText } from '#lib/feedback/error-state.tsx'
import { showSuccess } from '#lib/feedback/toast.ts'
import { Dialog } from '#lib/ui/dialog.tsx'
import { useVaultSettings } from '#lib/notes/use-vault-settings.ts'

interface OwnFolderChoiceProps {
  /** Empty for the root. */
  readonly folder: string
  readonly onChoose: (folder: string) => void
}

export function OwnFolderChoice({ folder, onChoose }: OwnFolderChoiceProps) {
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

export function OwnFolderDialog({ agent, onClose }: { agent: Agent; onClose: () => void }) {
  const current = useVaultSettings(agent.id)?.own
  const [chosenFolder, setChosenFolder] = useState<string>()
  const folder = chosenFolder ?? current
  const move = useMutation({
    ...api.agents.moveOwn.mutationOptions(),
    meta: { handlesError: true },
    // `current` may already be the new folder when onSuccess runs.
    onMutate: () => ({ previous: current ?? '' }),
    onSuccess: ({ moved, left }, { own }, { previous }) => {
      const undo = () => client.agents.moveOwn({ agent: agent.id, own: previous })
      const place = own === '' ? t('vault.top') : own
      showSuccess(t('agents.ownFolderMoved', { count: moved.length, place }), undo)
      if (left.length > 0) toast.warning(t('agents.ownFolderLeft', { paths: left.join(', ') }))
      onClose()
    },
  })
  return (
    <Dialog
      title={t('agents.ownFolder')}
      action={t('agents.ownFolderMove')}
      canSubmit={folder !== undefined && folder !== current && !move.isPending}
      onSubmit={() => folder !== undefined && move.mutate({ agent: agent.id, own: folder })}
      onClose={onClose}
    >
      {current !== undefined && <OwnFolderChoice folder={folder ?? current} onChoose={setChosenFolder} />}
      <p className="text-[12px] text-muted">{t('agents.ownFolderHint')}</p>
      <ErrorText error={move.error} />
    </Dialog>
  )
}
