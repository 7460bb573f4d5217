import { useMutation } from '@tanstack/react-query'
import { BrainIcon, BrainOff } from 'lucide-react'
import { t } from 'i18next'
import { api, client } from '#lib/api/client.ts'
import { showSuccess } from '#lib/feedback/toast.ts'
import { Button } from '#lib/ui/button.tsx'

const stripClass = 'mx-auto flex w-full max-w-[740px] flex-wrap items-center gap-x-3 gap-y-1 px-6 pb-2 text-[12px]'

interface SwitchProps {
  readonly isWithoutMemory: boolean
  readonly onChange: (isWithoutMemory: boolean) => void
}

export function WithoutMemorySwitch({ isWithoutMemory, onChange }: SwitchProps) {
  const Icon = isWithoutMemory ? BrainOff : BrainIcon
  return (
    <div className={`${stripClass} text-muted`}>
      <Button
        look="quiet"
        role="switch"
        aria-checked={isWithoutMemory}
        className={`-ml-2 ${isWithoutMemory ? 'text-text!' : ''}`}
        onClick={() => onChange(!isWithoutMemory)}
      >
        <Icon size={14} className={isWithoutMemory ? 'text-accent' : ''} /> {t('chat.withoutMemory')}
      </Button>
      {isWithoutMemory && <span>{t('chat.withoutMemoryHint')}</span>}
    </div>
  )
}

export function WithoutMemoryNote({ agent, session }: { agent: string; session: string }) {
  const undo = () => client.sessions.setWithoutMemory({ agent, session, isWithoutMemory: true })
  const addToMemory = useMutation(
    api.sessions.setWithoutMemory.mutationOptions({ onSuccess: () => showSuccess(t('chat.keptAfterAll'), undo) }),
  )
  return (
    <p role="note" className={`${stripClass} text-muted`}>
      <BrainOff size={14} className="text-accent" aria-hidden />
      <span className="min-w-0 flex-1 basis-52">
        {t('chat.withoutMemory')}: {t('chat.withoutMemoryHint')}
      </span>
      <Button
        look="link"
        disabled={addToMemory.isPending}
        onClick={() => addToMemory.mutate({ agent, session, isWithoutMemory: false })}
      >
        {t('chat.keepAfterAll')}
      </Button>
    </p>
  )
}
