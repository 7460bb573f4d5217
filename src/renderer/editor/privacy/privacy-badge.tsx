import { Lock, LockOpen } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { FileEntry } from '#shared/contract/index.ts'
import { IconButton } from '#lib/ui/button.tsx'

type PrivacyMark = NonNullable<FileEntry['privacy']>

interface LockButtonProps {
  readonly path: string
  readonly privacy: PrivacyMark | undefined
  readonly onChange: (isPrivate: boolean) => void
}

/** Makes a note private or open. Hidden if a rule in the settings makes it private. */
export function LockButton({ path, privacy, onChange }: LockButtonProps) {
  const { t } = useTranslation()
  if (privacy?.rule !== undefined) return null
  const isPrivate = privacy?.isWhole === true
  return (
    <IconButton label={t(isPrivate ? 'private.open' : 'private.lock', { path })} onClick={() => onChange(!isPrivate)}>
      {isPrivate ? <Lock size={13} /> : <LockOpen size={13} />}
    </IconButton>
  )
}
