import { t } from 'i18next'
import { openSecretsIn, withPrivateSecrets } from '#shared/markdown/visibility-edit.ts'
import { Button } from '#lib/ui/button.tsx'

interface SecretWarningProps {
  readonly text: string
  readonly onChange: (text: string) => void
}

/** Offers to mark lines with passwords, keys or card numbers; nothing if there are none. */
export function SecretWarning({ text, onChange }: SecretWarningProps) {
  const [secret] = openSecretsIn(text)
  if (!secret) return null
  return (
    <p role="status" className="flex flex-wrap items-center gap-2 text-[12px] text-warning">
      {t('capture.secret', { kind: t(`capture.secret_${secret.kind}`) })}
      <Button onClick={() => onChange(withPrivateSecrets(text))}>{t('capture.makePrivate')}</Button>
    </p>
  )
}
