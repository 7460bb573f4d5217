import { useQuery } from '@tanstack/react-query'
import { t } from 'i18next'
import { openSecretsIn, withPrivateSecrets } from '#shared/markdown/visibility-edit.ts'
import { api } from '#lib/api/client.ts'
import { Button } from '#lib/ui/elements.tsx'
import { useDebounced } from '../util/hooks.ts'

const typingPauseMs = 150

/** The text, if relative times get their dates, and an offer to mark lines with passwords, keys or card numbers. */
export function NoteRemarks({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const asked = useDebounced(text, typingPauseMs)
  const { data: dated } = useQuery(api.workspace.datedNote.queryOptions({ input: { text: asked } }))
  const [secret] = openSecretsIn(text)
  return (
    <>
      {asked === text && dated !== undefined && dated !== text && (
        <p role="status" className="text-[12px] break-words text-muted">
          {t('capture.dated', { text: dated })}
        </p>
      )}
      {secret && (
        <p role="status" className="flex flex-wrap items-center gap-2 text-[12px] text-warning">
          {t('capture.secret', { kind: t(`capture.secret_${secret.kind}`) })}
          <Button onClick={() => onChange(withPrivateSecrets(text))}>{t('capture.makePrivate')}</Button>
        </p>
      )}
    </>
  )
}
