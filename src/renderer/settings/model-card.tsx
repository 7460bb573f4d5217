import { t } from 'i18next'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { useState } from 'react'
import type { LocalModelServer, ProviderStatus, MonthlyUsage, Spending } from '#shared/contract/index.ts'
import { modelProviders, offlineModelId } from '#shared/util/providers.ts'
import { api, client } from '#lib/api/client.ts'
import { ErrorText, Button, Choice, Form, Select, TextInput } from '#lib/ui/elements.tsx'
import { explainSetup } from '#lib/feedback/toast.ts'
import { formatMoney, formatMonth, formatNumber, formatPercent } from '#lib/i18n/format.ts'

const providers = [offlineModelId, ...modelProviders] as const

interface Connection {
  readonly provider: (typeof providers)[number]
  readonly key?: string
  /** Undefined until the user types; then it overrides the stored address. */
  readonly address?: string
}

interface ModelCardProps {
  /** Id of the model that answers; undefined while none is chosen. */
  readonly inUse: string | undefined
  /** Undefined if the selected model is in use at once. */
  readonly onUse?: (model: string) => void
  /** Receives undefined until the provider has listed its models. */
  readonly onSelect?: (model: string | undefined) => void
}

export function ModelCard({ inUse = '', onUse, onSelect }: ModelCardProps) {
  const [connection, setConnection] = useState<Connection>(() => ({
    provider: providers.find((name) => inUse.startsWith(`${name}/`)) ?? offlineModelId,
  }))
  const { provider } = connection
  const [model, setModel] = useState<string>()
  const statuses = useQuery(api.settings.providers.queryOptions()).data ?? []
  const status = statuses.find(({ name }) => name === provider)
  const ownServer = statuses.find(({ name }) => name === 'openai-compatible')?.baseUrl ?? undefined
  // Also after the user has started a server in another window.
  const found = useQuery({ ...api.settings.localServers.queryOptions(), staleTime: 0, refetchOnWindowFocus: true })
  const isOffered = ({ baseUrl }: LocalModelServer) => baseUrl !== ownServer || !inUse.startsWith('openai-compatible/')
  const select = (id: string | undefined) => {
    setModel(id)
    onSelect?.(id)
  }
  const connect = useMutation({
    meta: { handlesError: true },
    mutationFn: async ({ provider, key = '', address }: Connection) => {
      if (key.trim() !== '') await client.settings.setKey({ provider, key })
      if (address !== undefined) await client.settings.setBaseUrl({ provider, baseUrl: address.trim() || null })
      return (await client.settings.testProvider({ provider })).models
    },
  })
  /** @param wanted model to use at once; undefined to suggest one */
  const connectTo = (request: Connection, wanted?: string) =>
    connect.mutate(request, {
      // Not called after `reset`: the user has chosen another provider meanwhile.
      onSuccess(models) {
        setConnection({ provider: request.provider })
        select(wanted ?? (models.includes(inUse) ? inUse : models[0]))
        if (wanted !== undefined) onUse?.(wanted)
      },
    })
  const change = (next: Connection) => {
    setConnection(next)
    // The model list belongs to the previous provider, address or key.
    select(next.provider === offlineModelId ? offlineModelId : undefined)
    connect.reset()
  }
  return (
    <section aria-label={t('status.model')} className="flex flex-col gap-3 rounded-md border border-line px-4 py-3.5">
      {found.data?.filter(isOffered).map((server) => (
        <div key={server.baseUrl} data-testid="found-server" className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
          <span className="min-w-0 flex-[1_1_200px]">
            {t('connect.found', { server: server.name })}{' '}
            {ownServer !== undefined && ownServer !== server.baseUrl && (
              <span className="text-[12px] wrap-anywhere text-muted">
                {t('connect.replaces', { address: ownServer })}
              </span>
            )}
          </span>
          <Button
            onClick={() => connectTo({ provider: 'openai-compatible', address: server.baseUrl }, server.models[0])}
            className="max-w-full"
          >
            <span className="truncate">{t('models.use', { model: nameOf(server.models[0]) })}</span>
          </Button>
        </div>
      ))}
      <Choice
        label={t('status.model')}
        value={provider}
        options={providers.map((value) => ({ value, name: t(`connect.provider.${value}`) }))}
        onChoose={(next) => change({ provider: next })}
      />
      {status ? (
        <ConnectionFields
          status={status}
          connection={connection}
          isConnecting={connect.isPending}
          onChange={change}
          onConnect={() => connectTo(connection)}
        />
      ) : (
        <p className="text-[12px] text-muted">{t('connect.offline')}</p>
      )}
      <ErrorText error={connect.error} explain={explainSetup} />
      {connect.data && (
        <p role="status" className={model === undefined ? 'text-warning' : 'text-good'}>
          {t(model === undefined ? 'connect.noModels' : 'connect.connected', { count: connect.data.length })}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-2 empty:hidden">
        {connect.data && model !== undefined && (
          <Select
            label={t('setting.model')}
            value={model}
            options={connect.data.map((id) => ({ value: id, name: nameOf(id) }))}
            onChoose={select}
            className="min-h-8 min-w-0 flex-1 basis-48 px-2.5 font-mono text-[12px]"
          />
        )}
        {onUse && model !== undefined && model !== inUse && (
          <Button look="primary" onClick={() => onUse(model)}>
            {t(model === offlineModelId ? 'connect.useNone' : 'connect.use')}
          </Button>
        )}
      </div>
      {inUse.startsWith(`${provider}/`) && (
        <p role="status" className="flex items-center gap-1.5 wrap-anywhere">
          <Check size={14} aria-hidden className="shrink-0 text-good" />
          {t('connect.inUse', { model: nameOf(inUse) })}
        </p>
      )}
    </section>
  )
}

function nameOf(id = ''): string {
  return id.slice(id.indexOf('/') + 1)
}

interface ConnectionFieldsProps {
  readonly status: ProviderStatus
  readonly connection: Connection
  readonly isConnecting: boolean
  readonly onChange: (connection: Connection) => void
  readonly onConnect: () => void
}

function ConnectionFields({ status, connection, isConnecting, onChange, onConnect }: ConnectionFieldsProps) {
  const { name, keySource, variable, keeps, baseUrl } = status
  const { key = '', address = baseUrl ?? '' } = connection
  const isCompatible = name === 'openai-compatible'
  const setKey = useMutation(api.settings.setKey.mutationOptions())
  const keyHint = t(isCompatible ? 'connect.keyIfNeeded' : 'settings.apiKey')
  const addressHint = isCompatible ? 'http://localhost:11434/v1' : t('settings.ownAddress')
  const fields = [
    { part: 'key', type: 'password', label: t('settings.apiKey'), value: key, hint: keyHint },
    { part: 'address', type: 'text', label: t('settings.baseUrl'), value: address, hint: addressHint },
  ]
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        {(isCompatible ? fields.toReversed() : fields).map(({ part, type, label, value, hint }) => (
          <TextInput
            key={part}
            type={type}
            autoComplete="off"
            spellCheck={false}
            aria-label={label}
            value={value}
            placeholder={hint}
            onChange={(text) => onChange({ ...connection, [part]: text })}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') return
              // The form of the first start must not be submitted.
              event.preventDefault()
              onConnect()
            }}
            className="min-h-8 min-w-0 flex-1 basis-36 px-2.5 font-mono text-[12px]"
          />
        ))}
        <Button disabled={isConnecting} onClick={onConnect}>
          {t(isConnecting ? 'settings.testing' : 'connect.connect')}
        </Button>
      </div>
      <p className="flex flex-wrap items-center gap-x-3 text-[12px] text-muted">
        {keySource !== 'none' && t(`settings.key.${keySource}`, { variable })}
        {(keySource === 'session' || keySource === 'keychain') && (
          <Button look="link" onClick={() => setKey.mutate({ provider: name, key: '' })}>
            {t('settings.forget')}
          </Button>
        )}
        {(keySource === 'none' || key !== '') && <span>{t(`settings.keeps.${keeps}`, { variable })}</span>}
      </p>
    </>
  )
}

export function SpendingPanel() {
  const usage = useQuery(api.settings.usage.queryOptions())
  if (!usage.data) return null
  const months = Map.groupBy(usage.data.months, ({ month }) => month)
  return (
    <>
      <Limit key={usage.data.spending.limit} spending={usage.data.spending} />
      {months.size === 0 && <p className="text-muted">{t('settings.noUsage')}</p>}
      {[...months].map(([month, rows]) => (
        <Month key={month} month={month} rows={rows} />
      ))}
    </>
  )
}

function Limit({ spending: { spent, limit, isNearLimit } }: { spending: Spending }) {
  const [typed, setTyped] = useState(limit === null ? '' : String(limit))
  const value = typed.trim() === '' ? null : Number(typed)
  const isValid = value === null || (Number.isFinite(value) && value > 0)
  const save = useMutation(api.settings.set.mutationOptions())
  const submit = () => isValid && save.mutate({ path: ['spending', 'monthlyLimit'], value })
  return (
    <Form onSubmit={submit} className="flex flex-wrap items-center gap-3">
      <label className="flex items-center gap-2">
        {t('settings.limit')}
        <TextInput
          inputMode="decimal"
          value={typed}
          aria-invalid={!isValid}
          placeholder={t('settings.none')}
          onChange={setTyped}
          className="tabular w-28 px-2.5 py-1.5"
        />
        USD
      </label>
      <Button type="submit" disabled={!isValid || value === limit}>
        {t('file.save')}
      </Button>
      <span className={`tabular ${isNearLimit ? 'text-warning' : 'text-muted'}`}>
        {limit === null
          ? t('settings.spent', { spent: formatMoney(spent) })
          : t('settings.spentOf', { spent: formatMoney(spent), share: formatPercent(spent / limit) })}
      </span>
    </Form>
  )
}

function Month({ month, rows }: { month: string; rows: readonly MonthlyUsage[] }) {
  const total = rows.reduce((sum, { usage }) => sum + (usage.cost?.total ?? 0), 0)
  return (
    <table className="tabular w-full text-[13px]">
      <caption className="pb-1 text-left font-medium">
        {formatMonth(month)} · {formatMoney(total)}
      </caption>
      <thead className="text-[12px] text-muted">
        <tr className="border-b border-line">
          <th className="py-1 text-left font-normal">{t('status.model')}</th>
          <th className="py-1 text-right font-normal">{t('settings.requests')}</th>
          <th className="py-1 text-right font-normal">{t('details.input')}</th>
          <th className="py-1 text-right font-normal">{t('details.cached')}</th>
          <th className="py-1 text-right font-normal">{t('details.output')}</th>
          <th className="py-1 text-right font-normal">{t('details.cost')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ model, requests, usage }) => {
          const input = usage.input + usage.cacheRead + usage.cacheWrite
          return (
            <tr key={model} className="border-b border-soft">
              <td className="max-w-64 truncate py-1.5">{model}</td>
              <td className="text-right">{formatNumber(requests)}</td>
              <td className="text-right">{formatNumber(input)}</td>
              <td className="text-right">{input === 0 ? '–' : formatPercent(usage.cacheRead / input)}</td>
              <td className="text-right">{formatNumber(usage.output)}</td>
              <td className="text-right">{usage.cost ? formatMoney(usage.cost.total) : '–'}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
