import { Lock, LockOpen } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { FileEntry } from '#shared/contract/index.ts'
import { IconButton } from '#lib/ui/button.tsx'

type LocalMark = NonNullable<FileEntry['local']>

/** An icon with a tooltip and an accessible name. */
export function PrivacyBadge({ local }: { local: LocalMark }) {
  const label = useLocalLabel(local)
  return (
    <span
      role="img"
      aria-label={label}
      title={label}
      data-testid="local"
      className={`inline-flex ${local.isWhole ? 'text-muted' : 'text-faint'}`}
    >
      {local.isWhole ? <Lock size={11} aria-hidden /> : <LockOpen size={11} aria-hidden />}
    </span>
  )
}

function useLocalLabel({ isWhole, rule, problem }: LocalMark): string {
  const { t } = useTranslation()
  if (problem !== undefined) return t('local.problem', { value: problem })
  if (rule !== undefined) return t('local.rule', { rule })
  return t(isWhole ? 'local.whole' : 'local.part')
}

interface LockButtonProps {
  readonly path: string
  readonly local: LocalMark | undefined
  readonly onChange: (isLocal: boolean) => void
}

/** Makes a note local, or removes the mark. Hidden if a rule in the settings makes it local. */
export function LockButton({ path, local, onChange }: LockButtonProps) {
  const { t } = useTranslation()
  if (local?.rule !== undefined) return null
  const isLocal = local?.isWhole === true
  return (
    <IconButton label={t(isLocal ? 'local.open' : 'local.lock', { path })} onClick={() => onChange(!isLocal)}>
      {isLocal ? <Lock size={13} /> : <LockOpen size={13} />}
    </IconButton>
  )
}
