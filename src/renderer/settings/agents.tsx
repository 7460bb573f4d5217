import { t } from 'i18next'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState, useId } from 'react'
import { api, client } from '#lib/api/client.ts'
import { ErrorText, Checkbox, Button, ActionItem, ActionMenu, ActionSeparator, TextInput } from '#lib/ui/elements.tsx'
import { currentLocale } from '#lib/i18n/index.ts'
import { Dialog, PromptDialog } from '#lib/ui/frames.tsx'
import { toast } from 'sonner'
import type { Agent } from '#shared/contract/index.ts'
import { appFolderName } from '#shared/util/agent-files.ts'
import { showSuccess } from '#lib/feedback/toast.ts'
import { useVaultSettings } from '#lib/notes/use-vault-settings.ts'
import { Check, ChevronsUpDown } from 'lucide-react'
import { navigate, paths } from '#lib/router/paths.ts'
import { chooseAgent, useAgent } from '#lib/agents/current-agent.ts'

function NewAgentDialog({ onClose }: { onClose: () => void }) {
  const switchTo = useSwitchAgent()
  const [name, setName] = useState('')
  const [workspace, setWorkspace] = useState('')
  const [color, setColor] = useState<string>(agentColors[1])
  const create = useMutation(
    api.agents.create.mutationOptions({
      meta: { handlesError: true },
      onSuccess: ({ agent }) => {
        onClose()
        switchTo(agent)
      },
    }),
  )
  const own = workspace.trim() === '' ? {} : { workspace }
  return (
    <Dialog
      title={t('agents.new')}
      action={t('file.createNow')}
      canSubmit={name.trim() !== '' && !create.isPending}
      className="top-[18vh] w-[min(460px,92vw)]"
      onSubmit={() => create.mutate({ name, color, locale: currentLocale(), ...own })}
      onClose={onClose}
    >
      <label className="flex flex-col gap-1">
        {t('chats.name')}
        <TextInput autoFocus required value={name} maxLength={60} onChange={setName} className="bg-paper! px-3 py-2" />
      </label>
      <label className="flex flex-col gap-1">
        {t('agents.folder')}
        <TextInput
          value={workspace}
          spellCheck={false}
          placeholder={t('agents.folderOfItsOwn')}
          onChange={setWorkspace}
          className="bg-paper! px-3 py-2 font-mono text-[12px]"
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

function ColorChoice({ value, onChoose }: { value: string; onChoose: (color: string) => void }) {
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

/** @param folder empty for the root */
export function OwnFolderChoice({ folder, onChoose }: { folder: string; onChoose: (folder: string) => void }) {
  const group = useId()
  const [name, setName] = useState(folder === '' ? appFolderName : folder)
  const isTop = folder === ''
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="pb-1.5">{t('agents.ownFolderLead')}</legend>
      <label className="flex flex-wrap items-center gap-2">
        <input type="radio" name={group} checked={!isTop} onChange={() => onChoose(name)} />
        {t('agents.ownFolderApart')}
        <TextInput
          value={name}
          aria-label={t('agents.ownFolderName')}
          spellCheck={false}
          onFocus={() => onChoose(name)}
          onChange={(value) => {
            setName(value)
            onChoose(value.trim() || appFolderName)
          }}
          className="w-44 bg-paper! px-2 py-1 font-mono text-[12px]"
        />
      </label>
      <label className="flex items-center gap-2">
        <input type="radio" name={group} checked={isTop} onChange={() => onChoose('')} />
        {t('agents.ownFolderTop')}
      </label>
    </fieldset>
  )
}

function OwnFolderDialog({ agent, onClose }: { agent: Agent; onClose: () => void }) {
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

export function AgentsSettings() {
  const agents = useQuery(api.agents.list.queryOptions()).data ?? []
  const [isCreating, setIsCreating] = useState(false)
  const active = agents.filter(({ archived }) => !archived)
  return (
    <div className="flex flex-col gap-3">
      <ul className="flex flex-col gap-3">
        {[...active, ...agents.filter(({ archived }) => archived)].map((agent) => (
          <AgentCard key={agent.id} agent={agent} others={active.filter(({ id }) => id !== agent.id)} />
        ))}
      </ul>
      <p>
        <Button onClick={() => setIsCreating(true)}>{t('agents.new')}</Button>
      </p>
      {isCreating && <NewAgentDialog onClose={() => setIsCreating(false)} />}
    </div>
  )
}

/** @param others agents that are not archived */
function AgentCard({ agent, others }: { agent: Agent; others: readonly Agent[] }) {
  const isShown = useAgent().id === agent.id
  const switchTo = useSwitchAgent()
  const [dialog, setDialog] = useState<'name' | 'folder' | 'own'>()
  const { id, name, color, workspace, archived, ready } = agent
  const undoArchiving = () => client.agents.update({ agent: id, archived: false })
  const onSuccess = (_result: unknown, change: { archived?: boolean | undefined }) =>
    change.archived && showSuccess(t('agents.archivedNow', { name }), undoArchiving, { look: 'plain' })
  const update = useMutation(api.agents.update.mutationOptions({ onSuccess }))
  const share = useMutation(api.agents.share.mutationOptions())
  const setUp = useMutation(api.agents.setUp.mutationOptions())
  const reportFiles = ({ created: { length: count } }: { created: readonly string[] }) =>
    toast.success(count === 0 ? t('agents.nothingToAdd') : t('file.dropped', { count }))
  const addFiles = useMutation(api.agents.setUp.mutationOptions({ onSuccess: reportFiles }))
  const readers = new Set(others.filter(({ reads }) => reads.includes(id)).map((other) => other.id))
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
        {!isShown && !archived && <Button onClick={() => switchTo(id)}>{t('agents.show')}</Button>}
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
                checked={readers.has(other.id)}
                onChange={() =>
                  share.mutate({ agent: id, with: [...readers.symmetricDifference(new Set([other.id]))] })
                }
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
          label={t('chats.name')}
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

export function AgentSwitcher() {
  const agent = useAgent()
  const agents = useQuery(api.agents.list.queryOptions())
  const [isCreating, setIsCreating] = useState(false)
  const switchTo = useSwitchAgent()
  return (
    <>
      <ActionMenu
        align="start"
        trigger={
          <button
            type="button"
            aria-label={t('agents.current', { name: agent.name })}
            title={agent.workspace}
            className="-my-1 -ml-1.5 flex min-h-8 min-w-0 flex-1 items-center gap-2.5 rounded-sm px-1.5 text-left hover:bg-soft"
          >
            <Dot color={agent.color} />
            <span className="min-w-0 flex-1 truncate text-[14px] font-semibold">{agent.name}</span>
            <ChevronsUpDown size={13} aria-hidden className="text-muted" />
          </button>
        }
      >
        {(agents.data ?? [])
          .filter(({ archived }) => !archived)
          .map((other) => (
            <ActionItem key={other.id} onClick={() => switchTo(other.id)}>
              <Dot color={other.color} />
              <span className="min-w-0 flex-1 truncate">{other.name}</span>
              {other.id === agent.id && <Check size={13} aria-label={t('agents.shown')} />}
            </ActionItem>
          ))}
        <ActionSeparator />
        <ActionItem onClick={() => setIsCreating(true)}>{t('agents.new')}</ActionItem>
        <ActionItem onClick={() => navigate(paths.settings('agents'))}>{t('agents.manage')}</ActionItem>
      </ActionMenu>
      {isCreating && <NewAgentDialog onClose={() => setIsCreating(false)} />}
    </>
  )
}

export function useSwitchAgent(): (id: string) => void {
  const { id: current } = useAgent()
  return (id) => {
    if (id === current) return
    const { pathname, search, hash } = location
    navigate(chooseAgent(id, { id: current, place: pathname + search + hash }))
  }
}

function Dot({ color }: { color: string }) {
  return <span aria-hidden className="size-2.5 shrink-0 rounded-full" style={{ background: color }} />
}
