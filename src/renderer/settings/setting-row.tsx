import i18next, { t } from 'i18next'
import { useQuery, useQueries, useMutation } from '@tanstack/react-query'
import { RotateCcw } from 'lucide-react'
import { useEffect, useId, useRef, useState, type ChangeEvent } from 'react'
import type { EmbeddingModel } from '#shared/contract/index.ts'
import { offlineModelId } from '#shared/util/providers.ts'
import { api } from '#lib/api/client.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { ErrorText, Button, IconButton, Select } from '#lib/ui/elements.tsx'
import { useHash } from '#lib/router/paths.ts'
import { Dialog } from '#lib/ui/frames.tsx'
import { AgentModelPicker } from '../chat/models/model-picker.tsx'
import {
  newEmbeddingRecipient,
  defaultEmbeddingModel,
  formatDuration,
  placeSettings,
  settingRows,
  type PlacedSetting,
  type SettingRow,
  type GroupId,
  type JsonSchema,
} from './setting-rows.ts'
import { formatNumber } from '#lib/i18n/format.ts'
import { valueAt } from '#shared/util/json.ts'

interface SettingRowViewProps {
  readonly setting: PlacedSetting
  readonly settings: NonNullable<ReturnType<typeof useSettings>['settings']>
  readonly chosenScope: 'agent' | 'all'
}

export function SettingRowView({ setting, settings, chosenScope }: SettingRowViewProps) {
  const agent = useAgent()
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
              unset={defaultEmbeddingModel(key, siblingValue)}
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
  function recipientOf(value: unknown): EmbeddingModel | undefined {
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

const field =
  'min-h-7 w-full min-w-0 rounded-sm border border-line bg-raised px-2 py-0.5 outline-none focus:border-accent'

interface ControlProps {
  readonly row: SettingRow
  readonly name: string
  readonly value: unknown
  /** The value in use while the field is empty. */
  readonly unset: string | undefined
  readonly onSet: (value: unknown) => void
  readonly errorId: string | undefined
}

function Control({ row, name, value, unset, onSet, errorId }: ControlProps) {
  const { initial, hint = unset ?? '', read } = textFormatOf(row, value)
  const [text, setText] = useState(initial)
  const finish = () => text !== initial && onSet(read(text))
  if (row.kind === 'boolean')
    return (
      <input
        type="checkbox"
        aria-label={name}
        checked={value === true}
        onChange={(event) => onSet(event.target.checked)}
        className="mt-1.5 accent-accent"
      />
    )
  if (row.kind === 'choice') {
    const { valueNameOf } = settingNames(t)
    return (
      <Select
        label={name}
        value={String(value)}
        options={row.options.map((option) => ({ value: option, name: valueNameOf(row.path, option) }))}
        onChoose={onSet}
        className="min-h-7 w-full min-w-0 px-2 py-0.5 outline-none focus:border-accent"
      />
    )
  }
  const attributes = {
    'aria-label': name,
    'aria-invalid': errorId !== undefined,
    'aria-describedby': errorId,
    value: text,
    placeholder: hint,
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => setText(event.target.value),
    onBlur: finish,
  }
  if (row.kind === 'longText' || row.kind === 'list')
    return <textarea {...attributes} rows={2} className={`${field} resize-y font-mono text-[12px]`} />
  return (
    <input
      {...attributes}
      inputMode={row.kind === 'number' ? 'decimal' : undefined}
      title={hint}
      spellCheck={false}
      onKeyDown={(event) => event.key === 'Enter' && finish()}
      className={field}
    />
  )
}

interface TextFormat {
  readonly initial: string
  readonly hint?: string
  /** Returns the value to set; undefined restores the inherited value. An invalid text is set as it is. */
  readonly read: (text: string) => unknown
}

function textFormatOf({ kind, isNullable, min, max }: SettingRow, value: unknown): TextFormat {
  const initial = typeof value === 'number' || typeof value === 'string' ? String(value) : ''
  if (kind === 'number') {
    const range = max === undefined ? `≥ ${formatNumber(min ?? 0)}` : `${formatNumber(min ?? 0)} – ${formatNumber(max)}`
    const empty = isNullable ? null : undefined
    const read = (text: string) => (text.trim() === '' ? empty : Number.isNaN(Number(text)) ? text : Number(text))
    return { initial, hint: isNullable ? t('settings.none') : min === undefined ? '' : range, read }
  }
  if (kind === 'duration')
    return {
      initial: typeof value === 'number' ? formatDuration(value) : initial,
      hint: '90s, 5m, 2h',
      read: (text) => text.trim() || undefined,
    }
  if (kind !== 'list') return { initial, read: (text) => text || undefined }
  return {
    initial: Array.isArray(value) ? value.join('\n') : '',
    hint: t('settings.onePerLine'),
    read(text) {
      const lines = text.split('\n').flatMap((line) => line.trim() || [])
      return lines.length === 0 ? undefined : lines
    },
  }
}

type Scope = 'agent' | 'all' | 'app'

const defaultsPath = ['agents', 'defaults']

/** `settings` is undefined while loading or after an error. */
export function useSettings() {
  const agent = useAgent()
  const source = useQuery(api.settings.source.queryOptions())
  const set = useMutation(
    api.settings.set.mutationOptions({ meta: { handlesError: true }, onError: () => void source.refetch() }),
  )
  const refetch = () => void source.refetch()
  if (!source.data) return { settings: undefined, error: source.error, refetch }
  const { written, inForce } = source.data
  const schema = source.data.schema as JsonSchema
  const list = valueAt(inForce, ['agents', 'list'])
  const index = Array.isArray(list) ? list.findIndex(({ id }: { id?: unknown }) => id === agent.id) : -1
  const basePath = (scope: Scope) => (scope === 'app' ? [] : scope === 'all' ? defaultsPath : ['agents', 'list', index])
  const pathOf = ({ row }: PlacedSetting, scope: Scope) => [...basePath(scope), ...row.path]
  const agentSchema = schema.properties?.['agents']?.properties?.['defaults'] ?? {}
  return {
    settings: {
      all: placeSettings(settingRows(agentSchema), settingRows(schema)),
      /** True if the configuration lists the agent, so that it can have its own values. */
      hasOwnEntry: index >= 0,
      /** Returns the value set in a scope, or undefined if it is inherited. */
      ownValue: (setting: PlacedSetting, scope: Scope) => {
        const path = pathOf(setting, scope)
        const older = setting.row.path.join('.') === 'visibility.private' ? [...path.slice(0, -1), 'local'] : path
        return valueAt(written, path) ?? valueAt(written, older)
      },
      effectiveValue: (setting: PlacedSetting, scope: Scope) => valueAt(inForce, pathOf(setting, scope)),
      /** Returns the value that a scope would inherit. Undefined also if that is the app's built-in default. */
      inheritedValue: (setting: PlacedSetting, scope: Scope) =>
        scope === 'agent' ? valueAt(inForce, pathOf(setting, 'all')) : undefined,
      /** @param value undefined restores the inherited value @param onDone receives the error of a refused value */
      set(setting: PlacedSetting, scope: Scope, value: unknown, onDone: (refusal: Error | null) => void) {
        const path = pathOf(setting, scope)
        set.mutate(value === undefined ? { path, reset: true } : { path, value }, {
          onSettled: (_result, error) => onDone(error),
        })
      },
    },
    error: source.error,
    refetch,
  }
}

export function settingNames(t: typeof i18next.t) {
  return {
    nameOf: (path: readonly string[]) => t(`setting.${path.join('_')}` as 'setting.model'),
    valueNameOf: (path: readonly string[], value: string) =>
      t(`settingValue.${path.join('_')}.${value}` as 'settingValue.interface_theme.light', { defaultValue: value }),
    hintOf: (path: readonly string[]) =>
      t(`settingHint.${path.join('_')}` as 'settingHint.model', { defaultValue: '' }),
    wordsOf: (id: string) =>
      t(`settingWords.${id.replaceAll('.', '_')}` as 'settingWords.import', { defaultValue: '' }),
    groupNameOf: (group: GroupId) =>
      t(`settingGroup.${group.replaceAll('.', '_')}` as 'settingGroup.chat', { defaultValue: '' }),
  }
}
