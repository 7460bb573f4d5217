import { skipToken, useQuery } from '@tanstack/react-query'
import { t } from 'i18next'
import { useMemo } from 'react'
import { addedLines, openSecretsIn, withPrivateLines, withPrivateSecrets } from '#shared/markdown/visibility-edit.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { api, client } from '#lib/api/client.ts'
import { runWithErrorToast, showSuccess } from '#lib/feedback/toast.ts'
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
      {secret && <SecretOffer secret={secret} onAccept={() => onChange(withPrivateSecrets(text))} />}
    </>
  )
}

interface SecretOfferProps {
  readonly secret: ReturnType<typeof openSecretsIn>[number]
  readonly className?: string
  readonly onAccept: () => void
}

export function SecretOffer({ secret, className = '', onAccept }: SecretOfferProps) {
  return (
    <p role="status" className={`flex flex-wrap items-center gap-2 text-[12px] text-warning ${className}`}>
      {t('capture.secret', { kind: t(`capture.secret_${secret.kind}`) })}
      <Button onClick={onAccept}>{t('capture.makePrivate')}</Button>
    </p>
  )
}

/** Offers to make the lines of a change private that look like secrets and are still open. */
export function AddedSecret({ path, patch }: { path: string; patch: string }) {
  const { id: agent } = useAgent()
  const added = useMemo(() => new Set(patch.match(/^\+.*$/gm)?.map((line) => line.slice(1))), [patch])
  const hasSecret = useMemo(() => openSecretsIn([...added].join('\n')).length > 0, [added])
  const file = useQuery(api.workspace.read.queryOptions({ input: hasSecret ? { agent, path } : skipToken })).data
  if (!file) return null
  const secrets = openSecretsIn(
    file.text,
    addedLines('', file.text).filter(([, line]) => added.has(line)),
  )
  const makePrivate = async () => {
    const text = withPrivateLines(file.text, (line) => secrets.some((secret) => secret.line === line))
    const { hash } = await client.workspace.write({ agent, path, text, expectedHash: file.hash })
    const undo = () => client.workspace.write({ agent, path, text: file.text, expectedHash: hash })
    showSuccess(t('private.locked', { path }), undo)
  }
  return (
    secrets[0] && (
      <SecretOffer
        secret={secrets[0]}
        className="border-b border-line px-3.5 py-1.5"
        onAccept={() => void runWithErrorToast(makePrivate())}
      />
    )
  )
}
