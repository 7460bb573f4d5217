import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import { useLocation } from 'wouter'
import type { Agent } from '#shared/contract/index.ts'
import { client } from '#lib/api/client.ts'
import { runWithErrorToast, showSuccess } from '#lib/feedback/toast.ts'
import { paths } from '#lib/router/paths.ts'
import type { ChatActions } from './chat-actions.ts'

interface Callbacks {
  readonly onEdit: (message: string | undefined) => void
  readonly onSelect: (turn: string) => void
}

export function useCreateChatActions(agent: Agent, session: string, { onEdit, onSelect }: Callbacks): ChatActions {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  return useMemo(() => {
    const target = { agent: agent.id, session }
    return {
      agent,
      edit: onEdit,
      select: onSelect,
      async sendEdited(message, text) {
        const sent = await runWithErrorToast(client.chat.send({ ...target, text, replaces: message }))
        if (sent) onEdit(undefined)
        return sent !== undefined
      },
      retry: (message, model) =>
        void runWithErrorToast(client.chat.retry({ ...target, message, ...(model === undefined ? {} : { model }) })),
      resume: () => void runWithErrorToast(client.chat.resume(target)),
      retryNow: () => void runWithErrorToast(client.chat.retryNow(target)),
      switchTo: (entry) => void runWithErrorToast(client.sessions.switchTo({ ...target, entry })),
      branch: (entry) =>
        void runWithErrorToast(
          client.sessions.fork({ ...target, entry }).then(({ session: forked }) => {
            navigate(paths.chat(forked))
            toast.success(t('chat.branched'))
          }),
        ),
      deleteFrom: (entry) =>
        void runWithErrorToast(
          client.sessions
            .deleteFrom({ ...target, entry })
            .then(() =>
              showSuccess(t('chat.deleted'), () => client.sessions.undelete({ ...target, entry }), { look: 'plain' }),
            ),
        ),
      remember: (text) =>
        void runWithErrorToast(
          // The event stream shows the toast with undo, in every window.
          client.workspace.remember({ agent: agent.id, text }),
        ),
    }
  }, [agent, session, onEdit, onSelect, navigate, t])
}
