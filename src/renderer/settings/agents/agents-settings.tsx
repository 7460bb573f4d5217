import { t } from 'i18next'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { toast } from 'sonner'
import type { Agent } from '#shared/contract/index.ts'
import { api, client } from '#lib/api/client.ts'
import { Checkbox } from '#lib/ui/choice.tsx'
import { showSuccess } from '#lib/feedback/toast.ts'
import { currentLocale } from '#lib/i18n/index.ts'
import { toggled } from '#lib/util/toggled.ts'
import { Button } from '#lib/ui/button.tsx'
import { PromptDialog } from '#lib/ui/dialog.tsx'
import { Dot, useSwitchAgent } from './agent-switcher.tsx'
import { ColorChoice, NewAgentDialog, OwnFolderDialog } from './agent-dialogs.tsx'

export function AgentsSettings({ agent: current }: { agent: Agent }) {
  const agents = useQuery(api.agents.list.queryOptions())
  const switchTo = useSwitchAgent(current)
  const [isCreating, setIsCreating] = useState(false)
  const allAgents = agents.data ?? []
  return (
    <div className="flex flex-col gap-3">
      <ul className="flex flex-col gap-3">
        {allAgents
          .toSorted((one, other) => Number(one.archived) - Number(other.archived))
          .map((agent) => (
            <AgentCard
              key={agent.id}
              agent={agent}
              others={allAgents.filter(({ id, archived }) => id !== agent.id && !archived)}
              isShown={agent.id === current.id}
              onShow={() => switchTo(agent.id)}
            />
          ))}
      </ul>
      <p>
        <Button onClick={() => setIsCreating(true)}>{t('agents.new')}</Button>
      </p>
      {isCreating && <NewAgentDialog onCreated={switchTo} onClose={() => setIsCreating(false)} />}
    </div>
  )
}

interface AgentCardProps {
  readonly agent: Agent
  readonly others: readonly Agent[]
  readonly isShown: boolean
  readonly onShow: () => void
}

function AgentCard({ agent, others, isShown, onShow }: AgentCardProps) {
  const [dialog, setDialog] = useState<'name' | 'folder' | 'own'>()
  const { id, name, color, workspace, archived, ready } = agent
  const update = useMutation(
    api.agents.update.mutationOptions({
      onSuccess(_result, change) {
        if (change.archived !== true) return
        const undo = () => client.agents.update({ agent: id, archived: false })
        showSuccess(t('agents.archivedNow', { name }), undo, { look: 'plain' })
      },
    }),
  )
  const share = useMutation(api.agents.share.mutationOptions())
  const setUp = useMutation(api.agents.setUp.mutationOptions())
  const addFiles = useMutation(
    api.agents.setUp.mutationOptions({
      onSuccess: ({ created }) =>
        toast.success(created.length === 0 ? t('agents.nothingToAdd') : t('file.dropped', { count: created.length })),
    }),
  )
  const readers = others.filter(({ reads }) => reads.includes(id)).map((other) => other.id)
  return (
    <li
      data-testid="agent"
      className={`flex flex-col gap-3 rounded-md border border-line px-4 py-3 ${archived ? 'bg-side text-muted' : ''}`}
    >
      <div className="flex flex-wrap items-center gap-2">
        <Dot color={color} />
        <strong className="font-semibold" title={id}>
          {name}
        </strong>
        {archived && <span className="text-[12px] text-muted">{t('agents.archived')}</span>}
        <span className="flex-1" />
        {!isShown && !archived && <Button onClick={onShow}>{t('agents.show')}</Button>}
        <Button look="quiet" onClick={() => setDialog('name')}>
          {t('agents.rename')}
        </Button>
        <Button look="quiet" onClick={() => update.mutate({ agent: id, archived: !archived })}>
          {t(archived ? 'agents.unarchive' : 'agents.archive')}
        </Button>
      </div>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-[12px]">
        <span className="max-w-full truncate font-mono text-muted">{workspace}</span>
        <Button look="link" onClick={() => setDialog('folder')}>
          {t('agents.changeFolder')}
        </Button>
        <Button
          look="link"
          onClick={() => addFiles.mutate({ agent: id, workspace, locale: currentLocale(), seed: true })}
        >
          {t('agents.addFiles')}
        </Button>
        {ready && !archived && (
          <Button look="link" onClick={() => setDialog('own')}>
            {t('agents.ownFolder')}
          </Button>
        )}
      </p>
      <ColorChoice value={color} onChoose={(value) => update.mutate({ agent: id, color: value })} />
      {others.length > 0 && !archived && (
        <fieldset className="text-[12px]">
          <legend className="pb-1 text-muted">{t('agents.share', { name })}</legend>
          <div className="flex flex-wrap gap-x-4 gap-y-1">
            {others.map((other) => (
              <Checkbox
                key={other.id}
                checked={readers.includes(other.id)}
                onChange={() => share.mutate({ agent: id, with: [...toggled(readers, other.id)] })}
              >
                {other.name}
              </Checkbox>
            ))}
          </div>
        </fieldset>
      )}
      {dialog === 'name' && (
        <PromptDialog
          title={t('agents.rename')}
          label={t('session.name')}
          initial={name}
          action={t('agents.rename')}
          onSubmit={(value) => update.mutate({ agent: id, name: value })}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === 'own' && <OwnFolderDialog agent={agent} onClose={() => setDialog(undefined)} />}
      {dialog === 'folder' && (
        <PromptDialog
          title={t('agents.changeFolder')}
          label={t('agents.folder')}
          initial={workspace}
          action={t('agents.changeFolder')}
          isPath
          onSubmit={(value) => setUp.mutate({ agent: id, workspace: value, locale: currentLocale() })}
          onClose={() => setDialog(undefined)}
        />
      )}
    </li>
  )
}
