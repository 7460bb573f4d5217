import { t } from 'i18next'
import { useMutation } from '@tanstack/react-query'
import { useState, useId } from 'react'
import { api, client } from '#lib/api/client.ts'
import { ErrorText } from '#lib/ui/states.tsx'
import { currentLocale } from '#lib/i18n/index.ts'
import { Dialog } from '#lib/ui/dialog.tsx'
import { toast } from 'sonner'
import type { Agent } from '#shared/contract/index.ts'
import { appFolderName } from '#shared/util/agent-files.ts'
import { showSuccess } from '#lib/feedback/toast.ts'
import { useVaultSettings } from '#lib/notes/use-vault-settings.ts'

export function NewAgentDialog({ onCreated, onClose }: { onCreated: (id: string) => void; onClose: () => void }) {
  const [name, setName] = useState('')
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
  const submit = () =>
    create.mutate({
      name,
      color,
      locale: currentLocale(),
      ...(workspace.trim() === '' ? {} : { workspace }),
    })
  const field = 'rounded-sm border border-line bg-paper px-3 py-2 outline-none focus:border-accent'
  return (
    <Dialog
      title={t('agents.new')}
      action={t('file.createNow')}
      canSubmit={name.trim() !== '' && !create.isPending}
      className="top-[18vh] w-[min(460px,92vw)]"
      onSubmit={submit}
      onClose={onClose}
    >
      <label className="flex flex-col gap-1">
        {t('session.name')}
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
      <ErrorText error={create.error} />
    </Dialog>
  )
}

/** Colours that are distinguishable in the light and the dark theme. */
const agentColors = ['#3f5bd9', '#2f8a7b', '#b7791f', '#a04fb5', '#c2453b', '#4d7c2f', '#2b7fb8', '#7a6a58'] as const

export function ColorChoice({ value, onChoose }: { value: string; onChoose: (color: string) => void }) {
  return (
    <div role="radiogroup" aria-label={t('agents.color')} className="flex gap-1.5">
      {agentColors.map((color, index) => (
        <button
          key={color}
          type="button"
          role="radio"
          aria-checked={color.toLowerCase() === value.toLowerCase()}
          aria-label={t('agents.colorNumber', { number: index + 1 })}
          onClick={() => onChoose(color)}
          className="size-6 rounded-full border-2 border-transparent aria-checked:border-text"
          style={{ background: color, backgroundClip: 'content-box', padding: 2 }}
        />
      ))}
    </div>
  )
}

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
      action={t('file.move')}
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
