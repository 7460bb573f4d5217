import { Lock, LockOpen } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { FileEntry } from '#shared/contract/index.ts'
import { IconButton } from '#lib/ui/button.tsx'

type LocalMark = NonNullable<FileEntry['local']>

interface LockButtonProps {
  readonly path: string
  readonly local: LocalMark | undefined
  readonly onChange: (isLocal: boolean) => void
}

/** Makes a note private or open. Hidden if a rule in the settings makes it private. */
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
