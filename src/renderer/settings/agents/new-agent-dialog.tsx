import { t } from 'i18next'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#lib/api/client.ts'
import { ErrorText } from '#lib/feedback/error-state.tsx'
import { currentLocale } from '#lib/i18n/index.ts'
import { Dialog } from '#lib/ui/dialog.tsx'
import { agentColors, ColorChoice } from './color-choice.tsx'

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
      action={t('agents.create')}
      canSubmit={name.trim() !== '' && !create.isPending}
      className="top-[18vh] w-[min(460px,92vw)]"
      onSubmit={submit}
      onClose={onClose}
    >
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
      <ErrorText error={create.error} />
    </Dialog>
  )
}
