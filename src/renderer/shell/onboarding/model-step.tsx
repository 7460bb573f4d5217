import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Agent } from '#shared/contract/index.ts'
import { modelProviders } from '#shared/util/providers.ts'
import { client } from '#lib/api/client.ts'
import { ErrorText } from '#lib/feedback/error-state.tsx'
import { explainSetup } from '#lib/feedback/explain.ts'
import { Button } from '#lib/ui/button.tsx'
import { Select } from '#lib/ui/select.tsx'

const providers = ['offline', ...modelProviders] as const
type Provider = (typeof providers)[number]

const offline = 'offline'

export type ModelChoice = ReturnType<typeof useModelChoice>

/** Returns the choice of a provider and model, with its state; `model` is undefined until the provider has listed its models. */
export function useModelChoice(agent: Agent) {
  const [provider, setProvider] = useState<Provider>(offline)
  const [chosenModel, setChosenModel] = useState<string>()
  const [typed, setTyped] = useState({ key: '', address: '' })
  const connect = useMutation({
    meta: { handlesError: true },
    mutationFn: async () => {
      const { key, address } = typed
      if (key.trim() !== '') await client.settings.setKey({ provider, key })
      if (address.trim() !== '') await client.settings.setBaseUrl({ provider, baseUrl: address.trim() })
      await client.settings.testProvider({ provider })
      const { models } = await client.chat.models({ agent: agent.id, fresh: true })
      return models.filter((model) => model.provider === provider).map(({ id }) => id)
    },
    onSuccess: ([first]) => {
      setTyped({ ...typed, key: '' })
      setChosenModel(first)
    },
  })
  const model = provider === offline ? offline : chosenModel
  return {
    ...typed,
    provider,
    model,
    models: connect.data ?? [],
    error: connect.error,
    isConnecting: connect.isPending,
    choose(next: Provider) {
      setProvider(next)
      setChosenModel(undefined)
      connect.reset()
    },
    chooseModel: setChosenModel,
    changeInput(change: { readonly key?: string; readonly address?: string }) {
      setTyped({ ...typed, ...change })
      // The model list belongs to the previous address or key.
      setChosenModel(undefined)
      connect.reset()
    },
    /** Lists the provider's models, even if they are cached. */
    connect: () => connect.mutate(),
    /** Returns the chosen model after connecting if needed; undefined if the provider failed (the step shows the error). */
    ensureConnected: async (): Promise<string | undefined> => model ?? (await connect.mutateAsync().catch(() => []))[0],
  }
}

export function ModelStep({ choice }: { choice: ModelChoice }) {
  const { t } = useTranslation()
  const { provider, model, models, key, address, error, isConnecting, choose, chooseModel, changeInput } = choice
  const field =
    'min-h-8 min-w-0 flex-1 basis-40 rounded-sm border border-line bg-raised px-2.5 font-mono text-[12px] outline-none focus:border-accent'
  return (
    <section aria-label={t('onboarding.model')} className="flex flex-col gap-2.5">
      <label className="flex flex-col gap-1.5">
        <span className="font-medium">{t('onboarding.model')}</span>
        <Select
          value={provider}
          options={providers.map((value) => ({ value, name: t(`onboarding.provider.${value}`) }))}
          onChoose={choose}
          className="min-h-9 px-2.5"
        />
      </label>
      {provider !== offline && (
        <div className="flex flex-wrap gap-2">
          {provider === 'openai-compatible' && (
            <input
              inputMode="url"
              value={address}
              aria-label={t('settings.baseUrl')}
              placeholder="http://localhost:11434/v1"
              onChange={(event) => changeInput({ address: event.target.value })}
              className={field}
            />
          )}
          <input
            type="password"
            autoComplete="off"
            value={key}
            aria-label={t('settings.apiKey')}
            placeholder={t('settings.apiKey')}
            onChange={(event) => changeInput({ key: event.target.value })}
            className={field}
          />
          <Button disabled={isConnecting} onClick={choice.connect}>
            {t(isConnecting ? 'settings.testing' : 'onboarding.connect')}
          </Button>
        </div>
      )}
      {provider !== offline && model === undefined && !error && (
        <p className="text-[12px] text-muted">{t('onboarding.notConnected')}</p>
      )}
      <ErrorText error={error} explain={explainSetup} />
      {models.length > 0 && (
        <Select
          label={t('setting.model')}
          value={model ?? ''}
          options={models.map((id) => ({ value: id, name: id }))}
          onChoose={chooseModel}
          className="min-h-9 px-2.5 font-mono text-[12px]"
        />
      )}
    </section>
  )
}
