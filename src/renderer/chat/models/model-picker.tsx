import { Popover } from '@base-ui/react/popover'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Command } from 'cmdk'
import { Check, RotateCw } from 'lucide-react'
import { useState, type ReactElement } from 'react'
import { t } from 'i18next'
import type { Model } from '#shared/contract/index.ts'
import { modelProviders, offlineModelId } from '#shared/util/providers.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { api, client, queryClient } from '#lib/api/client.ts'
import { explainCode } from '#shared/i18n/explain.ts'
import { formatMoney, formatShort } from '#lib/i18n/format.ts'
import { IconButton, TextLink } from '#lib/ui/elements.tsx'
import { paths } from '#lib/router/paths.ts'

interface ModelPickerProps {
  /** Undefined if the choice applies to one answer only. */
  readonly value?: string | undefined
  readonly onChoose: (id: string) => void
  readonly trigger: ReactElement
}

const modelIdPattern = new RegExp(`^(${modelProviders.join('|')})/\\S+$`)

export function ModelPicker({ value, onChoose, trigger }: ModelPickerProps) {
  const [isOpen, setIsOpen] = useState(false)
  const choose = (id: string) => {
    setIsOpen(false)
    onChoose(id)
  }
  return (
    <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
      <Popover.Trigger render={trigger} />
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align={value === undefined ? 'start' : 'end'} side="top" className="z-50">
          <Popover.Popup className="w-[420px] overflow-hidden rounded-md border border-line bg-raised shadow-float">
            <ModelList value={value} onChoose={choose} onClose={() => setIsOpen(false)} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

export function AgentModelPicker({ trigger }: { trigger: ReactElement }) {
  const agent = useAgent()
  const setModel = useMutation(api.settings.setModel.mutationOptions())
  const choose = (model: string) => setModel.mutate({ agent: agent.id, model })
  return <ModelPicker value={agent.model} onChoose={choose} trigger={trigger} />
}

/** Returns the model of the agent; undefined while the list loads, or if no provider offers the model. */
export function useModel(isNeeded = true): Model | undefined {
  const agent = useAgent()
  // The list is requested from the providers.
  const list = useQuery(api.chat.models.queryOptions({ input: { agent: agent.id }, enabled: isNeeded })).data
  return list?.models.find(({ id }) => id === agent.model)
}

function ModelList({ value, onChoose, onClose }: Omit<ModelPickerProps, 'trigger'> & { readonly onClose: () => void }) {
  const [query, setQuery] = useState('')
  const input = { agent: useAgent().id }
  const list = useQuery(api.chat.models.queryOptions({ input }))
  const refresh = useMutation({
    mutationFn: () => client.chat.models({ ...input, fresh: true }),
    onSuccess: (fresh) => queryClient.setQueryData(api.chat.models.queryKey({ input }), fresh),
  })
  const models = list.data?.models ?? []
  const groups = Map.groupBy(
    models.filter(({ available }) => available),
    ({ provider }) => provider,
  )
  const typedId = query.trim()
  return (
    <Command label={t('status.model')} loop>
      <div className="flex items-center border-b border-line pr-1.5">
        <Command.Input
          autoFocus
          value={query}
          onValueChange={setQuery}
          placeholder={t('models.search')}
          className="min-w-0 flex-1 bg-transparent px-3 py-2.5 outline-none placeholder:text-muted"
        />
        <IconButton
          icon={RotateCw}
          label={t('models.refresh')}
          disabled={refresh.isPending}
          className={refresh.isPending ? '[&>svg]:animate-spin' : ''}
          onClick={() => refresh.mutate()}
        />
      </div>
      <Command.List label={t('palette.list')} className="max-h-80 overflow-y-auto p-1">
        <Command.Empty className="px-3 py-4 text-muted">{t('models.none')}</Command.Empty>
        {[...groups].map(([provider, members]) => (
          <Command.Group
            key={provider}
            heading={provider}
            className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-[11px] [&_[cmdk-group-heading]]:text-muted"
          >
            {members.map((model) => (
              <ModelRow key={model.id} model={model} isChosen={model.id === value} onChoose={onChoose} />
            ))}
          </Command.Group>
        ))}
        {modelIdPattern.test(typedId) && !models.some(({ id }) => id === typedId) && (
          <Command.Item forceMount value={typedId} onSelect={() => onChoose(typedId)} className={rowClass}>
            {t('models.use', { model: typedId })}
          </Command.Item>
        )}
      </Command.List>
      <footer className="flex flex-col gap-1 border-t border-line px-3 py-2 text-[12px] text-muted">
        {list.data?.failures.map(({ provider, code }) => (
          <p key={provider} className="text-warning">
            {explainCode(code, { provider })}
          </p>
        ))}
        <TextLink href={paths.settings('models')} onClick={onClose}>
          {t('models.setUp')}
        </TextLink>
      </footer>
    </Command>
  )
}

const rowClass = 'flex min-h-8 items-center gap-2 rounded-sm px-2 data-[selected=true]:bg-selected'

function ModelRow({ model, isChosen, onChoose }: { model: Model; isChosen: boolean; onChoose: (id: string) => void }) {
  const { id, contextWindow, prices, isLocal } = model
  return (
    <Command.Item value={id} onSelect={() => onChoose(id)} className={rowClass}>
      <span className="w-3.5 shrink-0">{isChosen && <Check size={13} aria-label={t('models.chosen')} />}</span>
      <span className="min-w-0 flex-1 truncate">{id === offlineModelId ? t('status.noModel') : model.model}</span>
      {isLocal && (
        <span title={t('private.modelTitle')} className="shrink-0 text-[12px] text-muted">
          {t('private.model')}
        </span>
      )}
      <span className="tabular shrink-0 text-[12px] text-muted">
        {formatShort(contextWindow)}
        {prices && prices.output > 0 && ` · ${formatMoney(prices.input)} / ${formatMoney(prices.output)}`}
      </span>
    </Command.Item>
  )
}
