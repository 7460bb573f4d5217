import { useMutation } from '@tanstack/react-query'
import { t } from 'i18next'
import { CornerDownRight, X } from 'lucide-react'
import type { PermissionRequest, QueuedMessage } from '#shared/contract/index.ts'
import { api, client } from '#lib/api/client.ts'
import { Button, IconButton } from '#lib/ui/button.tsx'
import { useLive, type LiveTurnFollower } from '../live-turn.ts'

interface QueuedMessagesProps {
  readonly agent: string
  readonly session: string
  readonly follower: LiveTurnFollower
  readonly onTakeBack: (text: string) => void
}

export function QueuedMessages({ agent, session, follower, onTakeBack }: QueuedMessagesProps) {
  const permissions = useLive(follower, (turn) => turn.permissions)
  const queue = useLive(follower, (turn) => turn.queue)
  const isRunning = useLive(follower, (turn) => turn.isRunning)
  if (permissions.length === 0 && queue.length === 0) return null
  const target = { agent, session }
  return (
    <div className="mx-auto flex w-full max-w-[740px] flex-col gap-2 px-5 pb-2">
      {permissions.map((permission) => (
        <PermissionCard key={permission.id} target={target} permission={permission} />
      ))}
      {queue.length > 0 && <Queue target={target} queue={queue} isRunning={isRunning} onTakeBack={onTakeBack} />}
    </div>
  )
}

type Target = Pick<QueuedMessagesProps, 'agent' | 'session'>

function PermissionCard({ target, permission }: { target: Target; permission: PermissionRequest }) {
  const { id, server, tool, input } = permission
  const permit = useMutation(api.chat.permit.mutationOptions())
  return (
    <section
      aria-label={t('permission.title')}
      className="flex flex-col gap-2 rounded-md border border-line bg-raised px-3.5 py-3 shadow-float"
      data-testid="permission"
    >
      <p className="font-medium">{t('permission.question', { server, tool })}</p>
      <pre className="max-h-40 overflow-auto rounded-sm bg-side p-2 font-mono text-[12px] whitespace-pre-wrap">
        {input}
      </pre>
      <div className="flex flex-wrap gap-2">
        {(['once', 'always', 'deny', 'never'] as const).map((decision) => (
          <Button
            key={decision}
            look={decision === 'once' ? 'primary' : decision === 'never' ? 'quiet' : 'plain'}
            onClick={() => permit.mutate({ ...target, id, decision })}
          >
            {t(`permission.${decision}`)}
          </Button>
        ))}
      </div>
    </section>
  )
}

interface QueueProps {
  readonly target: Target
  readonly queue: readonly QueuedMessage[]
  readonly isRunning: boolean
  readonly onTakeBack: (text: string) => void
}

function Queue({ target, queue, isRunning, onTakeBack }: QueueProps) {
  const takeBack = useMutation({
    mutationFn: ({ id }: QueuedMessage) => client.chat.unqueue({ ...target, id }),
    onSuccess: (_result, { text }) => onTakeBack(text),
  })
  const remove = useMutation(api.chat.unqueue.mutationOptions())
  const send = useMutation(api.chat.sendQueued.mutationOptions())
  return (
    <ul aria-label={t('queue.title')} className="flex flex-col gap-1" data-testid="queue">
      {queue.map((message) => (
        <li
          key={message.id}
          className="flex min-h-8 items-center gap-2 rounded-md border border-line bg-side px-3 text-[13px]"
        >
          <CornerDownRight size={13} aria-hidden className="shrink-0 text-muted" />
          <span className="min-w-0 flex-1 truncate">{message.text}</span>
          <span className="shrink-0 text-[12px] text-muted">
            {t(`queue.${isRunning ? message.delivery : 'waiting'}`)}
          </span>
          <Button look="link" onClick={() => takeBack.mutate(message)}>
            {t('queue.edit')}
          </Button>
          <IconButton icon={X} label={t('queue.remove')} onClick={() => remove.mutate({ ...target, id: message.id })} />
        </li>
      ))}
      {!isRunning && (
        <li className="flex justify-end">
          <Button onClick={() => send.mutate(target)}>{t('queue.send')}</Button>
        </li>
      )}
    </ul>
  )
}
