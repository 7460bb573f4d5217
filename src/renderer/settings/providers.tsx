import { useMutation, useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { ProviderStatus } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { ErrorText } from '#lib/feedback/error-state.tsx'
import { Button } from '#lib/ui/button.tsx'

export function Providers() {
  const providers = useQuery(api.settings.providers.queryOptions())
  return (providers.data ?? []).map((provider) => <Provider key={provider.name} provider={provider} />)
}

function Provider({ provider }: { provider: ProviderStatus }) {
  const { t } = useTranslation()
  const { name, keySource, variable } = provider
  const test = useMutation(api.settings.testProvider.mutationOptions({ meta: { handlesError: true } }))
  return (
    <section aria-label={name} className="flex flex-col gap-3 rounded-md border border-line px-4 py-3.5">
      <header className="flex items-center gap-3">
        <h3 className="font-semibold">{name}</h3>
        <span className="min-w-0 flex-1 truncate text-[12px] text-muted">
          {t(`settings.key.${keySource}`, { variable })}
        </span>
        <Button disabled={test.isPending} onClick={() => test.mutate({ provider: name })}>
          {t(test.isPending ? 'settings.testing' : 'settings.test')}
        </Button>
      </header>
      {test.data && (
        <p role="status" className="text-good">
          {t('settings.works', { count: test.data.models })}
        </p>
      )}
      <ErrorText error={test.error} />
      <KeyField provider={provider} onSaved={() => test.reset()} />
      <BaseUrlField provider={provider} onSaved={() => test.reset()} />
    </section>
  )
}

interface FieldProps {
  readonly provider: ProviderStatus
  readonly onSaved: () => void
}

const fieldLook =
  'min-w-0 flex-1 rounded-sm border border-line bg-raised px-2.5 py-1.5 font-mono text-[12px] outline-none focus:border-accent'

/** A stored key is never shown again. */
function KeyField({ provider: { name, keySource, keeps }, onSaved }: FieldProps) {
  const { t } = useTranslation()
  const [key, setKey] = useState('')
  const saveKey = useMutation(
    api.settings.setKey.mutationOptions({
      onSuccess() {
        setKey('')
        onSaved()
      },
    }),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    saveKey.mutate({ provider: name, key })
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-1">
      <label className="flex items-center gap-2">
        <span className="w-28 shrink-0">{t('settings.apiKey')}</span>
        <input
          type="password"
          autoComplete="off"
          value={key}
          placeholder={keySource === 'none' ? '' : '••••••••'}
          onChange={(event) => setKey(event.target.value)}
          className={fieldLook}
        />
        <Button type="submit" disabled={key.trim() === ''}>
          {t('settings.use')}
        </Button>
        {(keySource === 'session' || keySource === 'keychain') && (
          <Button look="quiet" onClick={() => saveKey.mutate({ provider: name, key: '' })}>
            {t('settings.forget')}
          </Button>
        )}
      </label>
      <p className="pl-30 text-[12px] text-muted">{t(`settings.keeps.${keeps}`)}</p>
    </form>
  )
}

function BaseUrlField({ provider: { name, baseUrl }, onSaved }: FieldProps) {
  const { t } = useTranslation()
  // Undefined until the user types; then it overrides the stored address.
  const [typed, setTyped] = useState<string>()
  const address = typed ?? baseUrl ?? ''
  const isChanged = address.trim() !== (baseUrl ?? '')
  const save = useMutation(
    api.settings.setBaseUrl.mutationOptions({
      onSuccess() {
        setTyped(undefined)
        onSaved()
      },
    }),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate({ provider: name, baseUrl: address.trim() || null })
  }
  return (
    <form onSubmit={submit}>
      <label className="flex items-center gap-2">
        <span className="w-28 shrink-0">{t('settings.baseUrl')}</span>
        <input
          inputMode="url"
          value={address}
          spellCheck={false}
          placeholder={name === 'openai-compatible' ? 'http://localhost:11434/v1' : t('settings.ownAddress')}
          onChange={(event) => setTyped(event.target.value)}
          className={fieldLook}
        />
        <Button type="submit" disabled={!isChanged}>
          {t('settings.save')}
        </Button>
      </label>
    </form>
  )
}
