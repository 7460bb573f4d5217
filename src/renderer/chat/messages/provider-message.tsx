import { useTranslation } from 'react-i18next'
import type { ErrorData } from '#shared/util/errors.ts'

export function ProviderMessage({ sentence, data }: { sentence: string; data: ErrorData }) {
  const { t } = useTranslation()
  const { provider, reason } = data
  if (typeof reason !== 'string' || reason === '' || sentence.includes(reason)) return null
  return <p className="break-words text-muted">{t('chat.providerSays', { provider: String(provider), reason })}</p>
}
