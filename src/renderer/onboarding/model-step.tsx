/** Who answers: the offline model that needs nothing, or a provider once it has said which models it has. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Agent } from '../../shared/contract/index.ts'
import { client } from '../api/index.ts'
import { explainError } from '../feedback/index.ts'
import { Button } from '../ui/button.tsx'

const providers = ['offline', 'anthropic', 'openai', 'openai-compatible'] as const
type Provider = (typeof providers)[number]

interface ModelStepProps {
  readonly agent: Agent
  readonly model: string
  readonly onChoose: (model: string) => void
}

export function ModelStep({ agent, model, onChoose }: ModelStepProps) {
  const { t } = useTranslation()
  const [provider, setProvider] = useState<Provider>('offline')
  const [key, setKey] = useState('')
  const [address, setAddress] = useState('')
  const connect = useMutation({
    meta: { isToldInPlace: true },
    mutationFn: async () => {
      if (key.trim() !== '') await client.settings.setKey({ provider, key })
      if (address.trim() !== '') await client.settings.setBaseUrl({ provider, baseUrl: address.trim() })
      await client.settings.testProvider({ provider })
      const { models } = await client.chat.models({ agent: agent.id, fresh: true })
      return models.filter((one) => one.provider === provider).map(({ id }) => id)
    },
    onSuccess: ([first]) => {
      setKey('')
      if (first !== undefined) onChoose(first)
    },
  })
  const field =
    'min-h-8 min-w-0 flex-1 rounded-sm border border-line bg-raised px-2.5 font-mono text-[12px] outline-none focus:border-accent'
  return (
    <section aria-label={t('onboarding.model')} className="flex flex-col gap-2.5">
      <label className="flex flex-col gap-1.5">
        <span className="font-medium">{t('onboarding.model')}</span>
        <select
          value={provider}
          onChange={(event) => {
            setProvider(providers.find((one) => one === event.target.value) ?? 'offline')
            connect.reset()
            onChoose('offline')
          }}
          className="min-h-9 rounded-sm border border-line bg-raised px-2.5"
        >
          {providers.map((one) => (
            <option key={one} value={one}>
              {t(`onboarding.provider.${one}`)}
            </option>
          ))}
        </select>
      </label>
      {provider !== 'offline' && (
        <div className="flex gap-2">
          {provider === 'openai-compatible' && (
            <input
              type="url"
              value={address}
              aria-label={t('settings.baseUrl')}
              placeholder="http://localhost:11434/v1"
              onChange={(event) => setAddress(event.target.value)}
              className={field}
            />
          )}
          <input
            type="password"
            autoComplete="off"
            value={key}
            aria-label={t('settings.apiKey')}
            placeholder={t('settings.apiKey')}
            onChange={(event) => setKey(event.target.value)}
            className={field}
          />
          <Button disabled={connect.isPending} onClick={() => connect.mutate()}>
            {t(connect.isPending ? 'settings.testing' : 'onboarding.connect')}
          </Button>
        </div>
      )}
      {provider !== 'offline' && model === 'offline' && !connect.error && (
        <p className="text-[12px] text-muted">{t('onboarding.notConnected')}</p>
      )}
      {connect.error && (
        <p role="alert" className="text-bad">
          {explainError(connect.error)}
        </p>
      )}
      {connect.data && (
        <select
          aria-label={t('setting.model')}
          value={model}
          onChange={(event) => onChoose(event.target.value)}
          className="min-h-9 rounded-sm border border-line bg-raised px-2.5 font-mono text-[12px]"
        >
          {connect.data.map((id) => (
            <option key={id}>{id}</option>
          ))}
        </select>
      )}
    </section>
  )
}
