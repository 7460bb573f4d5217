import { useMutation } from '@tanstack/react-query'
import { BrainIcon, BrainOff } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { api, client } from '#lib/api/client.ts'
import { showSuccess } from '#lib/feedback/toast.ts'
import { Button } from '#lib/ui/button.tsx'

const stripLook = 'mx-auto flex w-full max-w-[740px] flex-wrap items-center gap-x-3 gap-y-1 px-6 pb-2 text-[12px]'

interface SwitchProps {
  readonly isOff: boolean
  readonly onChange: (isOff: boolean) => void
}

/** Switch shown before the first message. */
export function WithoutMemorySwitch({ isOff, onChange }: SwitchProps) {
  const { t } = useTranslation()
  const Icon = isOff ? BrainOff : BrainIcon
  return (
    <div className={`${stripLook} text-muted`}>
      <Button
        look="quiet"
        role="switch"
        aria-checked={isOff}
        className={`-ml-2 ${isOff ? 'text-text!' : ''}`}
        onClick={() => onChange(!isOff)}
      >
        <Icon size={14} className={isOff ? 'text-accent' : ''} /> {t('chat.withoutMemory')}
      </Button>
      {isOff && <span>{t('chat.withoutMemoryHint')}</span>}
    </div>
  )
}

export function WithoutMemoryNote({ agent, session }: { agent: string; session: string }) {
  const { t } = useTranslation()
  const undo = () => client.sessions.setWithoutMemory({ agent, session, isWithoutMemory: true })
  const keep = useMutation(
    api.sessions.setWithoutMemory.mutationOptions({ onSuccess: () => showSuccess(t('chat.keptAfterAll'), undo) }),
  )
  return (
    <p role="note" className={`${stripLook} text-muted`}>
      <BrainOff size={14} className="text-accent" aria-hidden />
      <span className="min-w-0 flex-1 basis-52">
        {t('chat.withoutMemory')}: {t('chat.withoutMemoryHint')}
      </span>
      <Button
        look="link"
        disabled={keep.isPending}
        onClick={() => keep.mutate({ agent, session, isWithoutMemory: false })}
      >
        {t('chat.keepAfterAll')}
      </Button>
    </p>
  )
}
