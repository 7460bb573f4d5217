import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import { useLocation } from 'wouter'
import type { Agent } from '../../shared/contract/index.ts'
import { client } from '../api/index.ts'
import { explainError } from '../feedback/index.ts'
import { paths } from '../navigate.ts'
import type { ChatActions } from './chat-actions.ts'

interface Callbacks {
  readonly onEdit: (message: string | undefined) => void
  readonly onSelect: (turn: string) => void
}

export function useActions(agent: Agent, session: string, { onEdit, onSelect }: Callbacks): ChatActions {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  return useMemo(() => {
    const target = { agent: agent.id, session }
    const tell = (error: unknown) => void toast.error(explainError(error))
    const attempt = (work: Promise<unknown>) => void work.catch(tell)
    return {
      agent,
      edit: onEdit,
      select: onSelect,
      async sendEdited(message, text) {
        try {
          await client.chat.send({ ...target, text, replaces: message })
          onEdit(undefined)
          return true
        } catch (error) {
          tell(error)
          return false
        }
      },
      retry: (message, model) =>
        attempt(client.chat.retry({ ...target, message, ...(model === undefined ? {} : { model }) })),
      resume: () => attempt(client.chat.resume(target)),
      switchTo: (entry) => attempt(client.sessions.switchTo({ ...target, entry })),
      branch: (entry) =>
        attempt(
          client.sessions.fork({ ...target, entry }).then(({ session: forked }) => {
            navigate(paths.chat(forked))
            toast.success(t('chat.branched'))
          }),
        ),
      deleteFrom: (entry) =>
        attempt(
          client.sessions.deleteFrom({ ...target, entry }).then(() =>
            toast(t('chat.deleted'), {
              action: {
                label: t('common.undo'),
                onClick: () => attempt(client.sessions.undelete({ ...target, entry })),
              },
            }),
          ),
        ),
      remember: (text) =>
        attempt(
          // The toast with its undo comes with the event, here as in every window.
          client.workspace.remember({ agent: agent.id, text }),
        ),
    }
  }, [agent, session, onEdit, onSelect, navigate, t])
}
