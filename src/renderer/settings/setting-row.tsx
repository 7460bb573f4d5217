import { t } from 'i18next'
import { useQuery, useQueries } from '@tanstack/react-query'
import { RotateCcw } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import type { Agent, EmbeddingModel } from '#shared/contract/index.ts'
import { offlineModelId } from '#shared/util/providers.ts'
import { api } from '#lib/api/client.ts'
import { ErrorText } from '#lib/ui/states.tsx'
import { useHash } from '#lib/router/paths.ts'
import { Button, IconButton } from '#lib/ui/button.tsx'
import { Dialog } from '#lib/ui/dialog.tsx'
import { AgentModelPicker } from '../chat/models/model-picker.tsx'
import { type PlacedSetting, newEmbeddingRecipient, defaultEmbeddingModel } from './setting-rows.ts'
import { Control } from './setting-control.tsx'
import { settingNames, type Settings } from './use-settings.ts'

interface SettingRowViewProps {
  readonly setting: PlacedSetting
  readonly settings: Settings
  readonly agent: Agent
  readonly chosenScope: 'agent' | 'all'
}

export function SettingRowView({ setting, settings, agent, chosenScope }: SettingRowViewProps) {
  const { nameOf, hintOf } = settingNames(t)
  const [resetCount, setResetCount] = useState(0)
  const [refusal, setRefusal] = useState<Error | null>(null)
  const refusalId = useId()
  const [pendingChange, setPendingChange] = useState<{ value: unknown }>()
  const agents = useQuery(api.agents.list.queryOptions()).data ?? []
  const { row, isOfApp } = setting
  const scope = isOfApp ? 'app' : settings.hasOwnEntry ? chosenScope : 'all'
  const key = row.path.join('.')
  const name = nameOf(row.path)
  const effective = settings.effectiveValue(setting, scope)
  const isSet = settings.ownValue(setting, scope) !== undefined
  const isInherited =
    !isSet && agents.length > 1 && scope === 'agent' && settings.ownValue(setting, 'all') !== undefined
  const hints = [hintOf(row.path), isInherited ? t('settings.inherited') : ''].filter(Boolean)
  const frame = useRef<HTMLDivElement>(null)
  const isTarget = useHash() === `#${key}`
  useEffect(() => {
    if (!isTarget) return undefined
    frame.current?.scrollIntoView({ block: 'center' })
    // A closing palette restores the focus, so the field takes it afterwards.
    const timer = setTimeout(
      () => frame.current?.querySelector<HTMLElement>('input, select, textarea, button')?.focus(),
      50,
    )
    return () => clearTimeout(timer)
  }, [isTarget])
  // Computed on each render, because the settings that it depends on may still be loading.
  const recipient = pendingChange && recipientOf(pendingChange.value)
  const defaultModel = defaultEmbeddingModel(key, siblingValue)
  return (
    <div
      ref={frame}
      data-testid="setting"
      data-key={key}
      className={`group relative flex flex-wrap items-start gap-x-4 gap-y-1.5 border-b border-soft py-3 ${isTarget ? '-mx-2 rounded-sm bg-selected px-2' : ''}`}
    >
      <div className="min-w-48 flex-1 pt-1">
        <p className={isSet ? 'font-medium' : ''}>{name}</p>
        {hints.length > 0 && <p className="text-[12px] text-muted">{hints.join(' · ')}</p>}
      </div>
      <div className={`flex shrink-0 flex-col gap-1 ${row.kind === 'boolean' ? '' : 'w-[min(19rem,100%)]'}`}>
        <div className="flex items-start justify-end gap-1">
          {key === 'model' && chosenScope === 'agent' ? (
            <AgentModelPicker
              agent={agent}
              trigger={
                <Button className="min-w-0 flex-1 truncate">
                  <span className="sr-only">{name}: </span>
                  {agent.model === offlineModelId ? t('status.noModel') : agent.model}
                </Button>
              }
            />
          ) : (
            <Control
              key={`${scope}${resetCount}${JSON.stringify(effective)}`}
              row={row}
              name={name}
              value={effective}
              onSet={set}
              errorId={refusal === null ? undefined : refusalId}
              {...(defaultModel === undefined ? {} : { unset: defaultModel })}
            />
          )}
          <IconButton
            icon={RotateCcw}
            size={13}
            label={t('settings.reset', { name })}
            className={isSet || refusal !== null ? '' : 'invisible'}
            data-testid="reset"
            onClick={() => {
              resetControl()
              set(undefined)
            }}
          />
        </div>
        <ErrorText id={refusalId} error={refusal} />
      </div>
      <span
        aria-hidden
        className="pointer-events-none absolute bottom-px font-mono text-[10px] leading-3 text-muted opacity-0 group-focus-within:opacity-100 group-hover:opacity-100"
      >
        {key}
      </span>
      {pendingChange && recipient && (
        <EmbeddingConsent
          agents={scope === 'agent' ? [agent.id] : agents.filter(({ archived }) => !archived).map(({ id }) => id)}
          embedding={recipient}
          onAgree={() => {
            setPendingChange(undefined)
            write(pendingChange.value)
          }}
          onClose={() => {
            setPendingChange(undefined)
            resetControl()
          }}
        />
      )}
    </div>
  )
  function siblingValue(siblingKey: string): unknown {
    const sibling = settings.all.find((candidate) => candidate.row.path.join('.') === siblingKey)
    return sibling && settings.effectiveValue(sibling, scope)
  }
  function recipientOf(value: unknown): ReturnType<typeof newEmbeddingRecipient> {
    return newEmbeddingRecipient(key, value ?? settings.inheritedValue(setting, scope), siblingValue)
  }
  function set(value: unknown): void {
    if (recipientOf(value)) setPendingChange({ value })
    else write(value)
  }
  function write(value: unknown): void {
    settings.set(setting, scope, value, (error) => {
      setRefusal(error)
      // A text field keeps the refused text; a checkbox or select shows the value in use again.
      if (error && (row.kind === 'boolean' || row.kind === 'choice')) resetControl()
    })
  }
  function resetControl(): void {
    setResetCount((count) => count + 1)
  }
}

interface EmbeddingConsentProps {
  readonly agents: readonly string[]
  readonly embedding: EmbeddingModel
  readonly onAgree: () => void
  readonly onClose: () => void
}

function EmbeddingConsent({ agents, embedding, onAgree, onClose }: EmbeddingConsentProps) {
  const { nameOf, valueNameOf } = settingNames(t)
  const { provider, model, baseUrl } = embedding
  const hasAddress = provider !== 'openai-compatible' || baseUrl !== undefined
  const counts = useQueries({
    queries: agents.map((agent) =>
      api.search.embeddingCost.queryOptions({ input: { agent, of: embedding }, enabled: hasAddress }),
    ),
  })
  const failed = counts.find(({ error }) => error !== null)?.error ?? undefined
  const isCounted = counts.every(({ data }) => data !== undefined)
  const total = (unit: 'texts' | 'tokens') => counts.reduce((sum, { data }) => sum + (data?.unsent[unit] ?? 0), 0)
  const name = valueNameOf(['memory', 'embedding', 'provider'], provider)
  return (
    <Dialog
      title={t('meaning.consent')}
      action={hasAddress ? t('chat.send') : undefined}
      canSubmit={isCounted || failed !== undefined}
      onSubmit={onAgree}
      onClose={onClose}
    >
      {!hasAddress ? (
        <p role="alert">{t('meaning.noAddress', { setting: nameOf(['memory', 'embedding', 'baseUrl']) })}</p>
      ) : isCounted ? (
        <p role="status">{t('meaning.toSend', { count: total('texts'), tokens: total('tokens') })}</p>
      ) : failed ? (
        <ErrorText error={failed} />
      ) : (
        <p role="status" className="text-muted">
          {t('meaning.counting')}
        </p>
      )}
      {hasAddress && <p className="text-muted">{t('meaning.consentLead', { model, place: baseUrl ?? name })}</p>}
    </Dialog>
  )
}
