import i18next from 'i18next'
import { toast } from 'sonner'
import type { AppEvent } from '#shared/contract/index.ts'
import { showSuccess } from '../feedback/toast.ts'
import { api, client, connection, queryClient } from './client.ts'

/** Applies the runtime's events for the life of the window. Subscribes again after each reconnect. */
export async function followEvents(): Promise<never> {
  for (;;) {
    try {
      for await (const event of await client.events.subscribe({ language: navigator.language })) applyEvent(event)
    } catch (error) {
      if (!(error instanceof Error)) throw error
    }
    await untilOpen()
    await queryClient.invalidateQueries()
  }
}

/** DOM event on `window`, sent when the runtime asks to open an address (its `detail`). */
export const goToEvent = 'commonplace:go-to'

function applyEvent(event: AppEvent): void {
  const invalidate = (queryKey: readonly unknown[]) => void queryClient.invalidateQueries({ queryKey })
  switch (event.type) {
    case 'hello':
      return
    case 'filesChanged':
      invalidate(api.habits.key())
      invalidate(api.workspace.key())
      invalidate(api.links.key())
      invalidate(api.tags.key())
      invalidate(api.context.key())
      invalidate(api.checks.list.key())
      invalidate(api.history.standing.key())
      return
    case 'indexStatus':
      queryClient.setQueryData(api.search.status.queryKey({ input: { agent: event.agent } }), event.status)
      return
    case 'indexChanged':
      invalidate(api.search.key())
      invalidate(api.workspace.list.key())
      return
    case 'sessionChanged':
      invalidate(api.sessions.list.key())
      invalidate(api.sessions.find.key())
      invalidate(api.search.recalls.key())
      invalidate(api.sessions.usage.key({ input: { agent: event.agent, session: event.session } }))
      // An open conversation follows its own stream, except for archiving and restoring. Others are refetched
      // when they are opened.
      void queryClient.invalidateQueries({
        queryKey: api.sessions.get.key({ input: { agent: event.agent, session: event.session } }),
        refetchType: event.isWhole ? 'active' : 'none',
      })
      return
    case 'contextChanged':
      invalidate(api.context.key())
      return
    case 'agentsChanged':
      invalidate(api.habits.key())
      invalidate(api.agents.key())
      invalidate(api.settings.key())
      invalidate(api.workspace.key())
      invalidate(api.search.key())
      invalidate(api.context.key())
      invalidate(api.chat.models.key())
      return
    case 'settingsChanged':
      invalidate(api.habits.key())
      invalidate(api.settings.key())
      invalidate(api.context.key())
      invalidate(api.history.key())
      invalidate(api.search.key())
      invalidate(api.workspace.list.key())
      invalidate(api.agents.key())
      invalidate(api.chat.models.key())
      return
    case 'checksChanged':
      invalidate(api.checks.list.key())
      return
    case 'checksProgress': {
      const { agent, done, total } = event
      queryClient.setQueryData(
        api.checks.list.queryKey({ input: { agent } }),
        (list) => list && { ...list, progress: { done, total } },
      )
      return
    }
    case 'upkeepChanged':
      invalidate(api.upkeep.list.key())
      invalidate(api.upkeep.count.key())
      return
    case 'moveProgress':
      // Moving an attachment sends no other event, so links are refetched when a move ends.
      if (!event.moving) invalidate(api.links.key())
      queryClient.setQueryData(api.links.moving.queryKey({ input: { agent: event.agent } }), event.moving)
      return
    case 'turnEnded':
      return
    case 'recovered':
      invalidate(api.search.key())
      toast.warning(i18next.t('error.recovered'))
      return
    case 'fault':
      // All faults share one id, so that the newest replaces the others.
      toast.error(i18next.t(event.isRepeated ? 'error.faults' : 'error.fault', { reference: event.reference }), {
        id: 'fault',
        duration: Infinity,
      })
      return
    case 'goTo':
      window.dispatchEvent(new CustomEvent<string>(goToEvent, { detail: event.place }))
      return
    case 'captured':
      showCaptured(event)
      return
    case 'historyChanged':
      // Files that failed to load may now be found under their new path.
      void queryClient.invalidateQueries({
        queryKey: api.workspace.read.key(),
        predicate: ({ state }) => state.status === 'error',
      })
      invalidate(api.history.timeline.key())
      invalidate(api.history.blame.key())
      invalidate(api.history.standing.key())
      return
    case 'acceptedChanged':
      invalidate(api.history.accepted.key())
      return
    case 'usageChanged':
      invalidate(api.settings.usage.key())
      return
    case 'healthChanged':
      invalidate(api.health.key())
      return
    case 'clientsChanged':
      invalidate(api.clients.key())
      return
    case 'mcpChanged':
      invalidate(api.settings.mcpServers.key())
      return
  }
}

/** Shows a toast with undo for a remembered text, in every window and not only where it was typed. */
function showCaptured({ agent, path, patch, client: name }: Extract<AppEvent, { type: 'captured' }>): void {
  const text = name === undefined ? i18next.t('capture.done', { path }) : i18next.t('clients.wrote', { name, path })
  const options = name === undefined ? {} : { id: `wrote-${name}` }
  showSuccess(text, () => client.workspace.undo({ agent, path, patch }), options)
}

function untilOpen(): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (connection.state !== 'open') return
      stop()
      resolve()
    }
    const stop = connection.onChange(check)
    // A stream can end while the connection stays open: the delay prevents a busy loop.
    setTimeout(check, 250)
  })
}
