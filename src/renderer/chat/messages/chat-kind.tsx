import { useMutation, useQuery } from '@tanstack/react-query'
import { BrainIcon, BrainOff, Lock, LockOpen } from 'lucide-react'
import { useState } from 'react'
import { t } from 'i18next'
import type { NoteLine } from '#shared/contract/index.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { api, client } from '#lib/api/client.ts'
import { showSuccess } from '#lib/feedback/toast.ts'
import { Button, Checkbox } from '#lib/ui/elements.tsx'
import { Dialog } from '#lib/ui/frames.tsx'
import { clipLine } from '#lib/util/clip.ts'
import { useModel } from '../models/model-picker.tsx'

const stripClass = 'mx-auto flex w-full max-w-[740px] flex-wrap items-center gap-x-3 gap-y-1 px-6 pb-2 text-[12px]'

export interface ChatKind {
  readonly isWithoutMemory: boolean
  /** Undefined until the user chooses: then `chat.default` applies. */
  readonly isPrivate: boolean | undefined
}

export function ChatKindSwitches({ kind, onChange }: { kind: ChatKind; onChange: (kind: ChatKind) => void }) {
  const { isPrivateByDefault } = useAgent()
  const { isWithoutMemory, isPrivate = isPrivateByDefault } = kind
  const switches = [
    { Icon: isPrivate ? Lock : LockOpen, isOn: isPrivate, label: t('chat.private'), change: { isPrivate: !isPrivate } },
    {
      Icon: isWithoutMemory ? BrainOff : BrainIcon,
      isOn: isWithoutMemory,
      label: t('chat.withoutMemory'),
      change: { isWithoutMemory: !isWithoutMemory },
    },
  ]
  return (
    <div className={`${stripClass} text-muted`}>
      {switches.map(({ Icon, isOn, label, change }) => (
        <Button
          key={label}
          look="quiet"
          role="switch"
          aria-checked={isOn}
          className={`-ml-2 ${isOn ? 'text-text!' : ''}`}
          onClick={() => onChange({ ...kind, ...change })}
        >
          <Icon size={14} className={isOn ? 'text-accent' : ''} /> {label}
        </Button>
      ))}
      {isPrivate && <PrivateHint />}
      {isWithoutMemory && <span>{t('chat.withoutMemoryHint')}</span>}
    </div>
  )
}

export function PrivateNote({ session }: { session: string }) {
  const target = { agent: useAgent().id, session }
  const openLines = useQuery(api.chats.openLines.queryOptions({ input: target })).data ?? []
  const [isChoosing, setIsChoosing] = useState(false)
  return (
    <p role="note" className={`${stripClass} text-muted`}>
      <Lock size={14} className="text-accent" aria-hidden />
      <span className="min-w-0 flex-1 basis-52">
        {t('common.pair', { name: t('chat.private'), value: '' })}
        <PrivateHint />
      </span>
      {openLines.length > 0 && (
        <span>
          {t('chat.openLines', { count: openLines.length })}{' '}
          <Button look="link" onClick={() => setIsChoosing(true)}>
            {t('chat.markLines')}
          </Button>
        </span>
      )}
      {isChoosing && <MarkLinesDialog lines={openLines} onClose={() => setIsChoosing(false)} />}
    </p>
  )
}

function MarkLinesDialog({ lines, onClose }: { lines: readonly NoteLine[]; onClose: () => void }) {
  const { id: agent } = useAgent()
  const [left, setLeft] = useState<ReadonlySet<NoteLine>>(new Set())
  const chosen = lines.filter((line) => !left.has(line))
  const markLines = useMutation(api.chats.markLines.mutationOptions({ onSuccess: onClose }))
  return (
    <Dialog
      title={t('chat.chooseLines')}
      action={t('private.lockThis')}
      canSubmit={chosen.length > 0 && !markLines.isPending}
      onSubmit={() => markLines.mutate({ agent, lines: chosen })}
      onClose={onClose}
    >
      <div className="flex max-h-[40vh] flex-col gap-1.5 overflow-y-auto">
        {lines.map((line) => (
          <Checkbox
            key={`${line.path}:${line.line}`}
            title={`${line.path}:${line.line}`}
            checked={!left.has(line)}
            onChange={() => setLeft(left.symmetricDifference(new Set([line])))}
          >
            {clipLine(line.text, 300)}
          </Checkbox>
        ))}
      </div>
    </Dialog>
  )
}

function PrivateHint() {
  const model = useModel()
  const isRemote = model?.isLocal === false
  return [t('chat.privateHint'), ...(isRemote ? [t('chat.privateOffline', { model: model.id })] : [])].join(' ')
}

export function WithoutMemoryNote({ session }: { session: string }) {
  const target = { agent: useAgent().id, session }
  const undo = () => client.chats.setWithoutMemory({ ...target, isWithoutMemory: true })
  const addToMemory = useMutation(
    api.chats.setWithoutMemory.mutationOptions({ onSuccess: () => showSuccess(t('chat.keptAfterAll'), undo) }),
  )
  return (
    <p role="note" className={`${stripClass} text-muted`}>
      <BrainOff size={14} className="text-accent" aria-hidden />
      <span className="min-w-0 flex-1 basis-52">
        {t('common.pair', { name: t('chat.withoutMemory'), value: t('chat.withoutMemoryHint') })}
      </span>
      <Button
        look="link"
        disabled={addToMemory.isPending}
        onClick={() => addToMemory.mutate({ ...target, isWithoutMemory: false })}
      >
        {t('chat.keepAfterAll')}
      </Button>
    </p>
  )
}
