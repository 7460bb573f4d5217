import { t } from 'i18next'
import { createContext, use, useMemo } from 'react'
import { toast } from 'sonner'
import { useAgent } from '#lib/agents/current-agent.ts'
import { client } from '#lib/api/client.ts'
import { runWithErrorToast, showSuccess } from '#lib/feedback/toast.ts'
import { navigate, paths } from '#lib/router/paths.ts'
import { sendMessage } from './composer/outbox.tsx'

/** Returns a chat's session and the actions on its messages. Failed actions show a toast. */
export function useCreateChatActions(
  session: string,
  edit: (message: string | undefined) => void,
  select: (turn: string) => void,
) {
  const { id: agent } = useAgent()
  return useMemo(() => {
    const target = { agent, session }
    const run = (work: Promise<unknown>) => void runWithErrorToast(work)
    return {
      session,
      edit,
      select,
      async sendEdited(message: string, text: string): Promise<boolean> {
        const isSent = 'sent' in (await sendMessage({ ...target, text, replaces: message }))
        if (isSent) edit(undefined)
        return isSent
      },
      retry: (message: string, model?: string) => run(client.chat.retry({ ...target, message, model })),
      resume: () => run(client.chat.resume(target)),
      compactAndResume: () => run(client.chat.resume({ ...target, compact: true })),
      retryNow: () => run(client.chat.retryNow(target)),
      switchTo: (entry: string) => run(client.chats.switchTo({ ...target, entry })),
      branch: (entry: string) =>
        run(
          client.chats.fork({ ...target, entry }).then(({ session: forked }) => {
            navigate(paths.chat(forked))
            toast.success(t('chat.branched'))
          }),
        ),
      /** Answers the last question again in a private copy of the chat. */
      continuePrivately: () =>
        run(
          client.chats.get(target).then(async ({ messages }) => {
            const question = messages.findLast(({ message }) => message.role === 'user')?.id ?? ''
            const { session: forked } = await client.chats.fork({ ...target, entry: question })
            await client.chats.makePrivate({ agent, session: forked })
            navigate(paths.chat(forked))
            await client.chat.retry({ agent, session: forked, message: question })
          }),
        ),
      deleteFrom(entry: string) {
        const undo = () => client.chats.undelete({ ...target, entry })
        const report = () => showSuccess(t('chat.deleted'), undo, { look: 'plain' })
        run(client.chats.deleteFrom({ ...target, entry }).then(report))
      },
      // The event stream shows the toast with undo, in every window.
      remember: (text: string) => runWithErrorToast(client.workspace.remember({ ...target, text })),
    }
  }, [agent, session, edit, select])
}

export const ChatActionsContext = createContext<ReturnType<typeof useCreateChatActions> | undefined>(undefined)

export function useChatActions() {
  const actions = use(ChatActionsContext)
  if (!actions) throw new Error('useChatActions must be used inside ChatActionsContext')
  return actions
}
