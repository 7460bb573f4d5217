import i18next from 'i18next'
import { toast } from 'sonner'
import type { AppEvent } from '#shared/contract/index.ts'
import { showSuccess } from '../feedback/toast.ts'
import { api, client, connection, queryClient } from './client.ts'

/** Applies the runtime's events for the life of the window. Subscribes again after each reconnect. */
export async function followEvents(): Promise<never> {
  for (;;) {
    try {
      for await (const event of await client.events.subscribe({ language: navigator.language })) apply(event)
    } catch (error) {
      if (!(error instanceof Error)) throw error
    }
    await untilOpen()
    await queryClient.invalidateQueries()
  }
}

/** DOM event on `window`, sent when the runtime asks to open an address (its `detail`). */
export const goToEvent = 'commonplace:go-to'

function apply(event: AppEvent): void {
  const drop = (queryKey: readonly unknown[]) => void queryClient.invalidateQueries({ queryKey })
  switch (event.type) {
    case 'hello':
      return
    case 'filesChanged':
      drop(api.habits.key())
      drop(api.workspace.key())
      drop(api.links.key())
      drop(api.tags.key())
      drop(api.context.key())
      drop(api.checks.list.key())
      drop(api.history.standing.key())
      return
    case 'indexStatus':
      queryClient.setQueryData(api.search.status.queryKey({ input: { agent: event.agent } }), event.status)
      return
    case 'indexChanged':
      drop(api.search.key())
      drop(api.workspace.list.key())
      return
    case 'sessionChanged':
      drop(api.sessions.list.key())
      drop(api.sessions.find.key())
      drop(api.search.recalls.key())
      drop(api.sessions.usage.key({ input: { agent: event.agent, session: event.session } }))
      // An open conversation follows its own stream, except for archiving and restoring. Others are refetched
      // when they are opened.
      void queryClient.invalidateQueries({
        queryKey: api.sessions.get.key({ input: { agent: event.agent, session: event.session } }),
        refetchType: event.isWhole ? 'active' : 'none',
      })
      return
    case 'contextChanged':
      drop(api.context.key())
      return
    case 'agentsChanged':
      drop(api.habits.key())
      drop(api.agents.key())
      drop(api.settings.key())
      drop(api.workspace.key())
      drop(api.search.key())
      drop(api.context.key())
      drop(api.chat.models.key())
      return
    case 'settingsChanged':
      drop(api.habits.key())
      drop(api.settings.key())
      drop(api.context.key())
      drop(api.history.key())
      drop(api.search.key())
      drop(api.workspace.list.key())
      drop(api.agents.key())
      drop(api.chat.models.key())
      return
    case 'checksChanged':
      drop(api.checks.list.key())
      return
    case 'checksProgress': {
      const { agent, done, total } = event
      queryClient.setQueryData(
        api.checks.list.queryKey({ input: { agent } }),
        (known) => known && { ...known, progress: { done, total } },
      )
      return
    }
    case 'upkeepChanged':
      drop(api.upkeep.list.key())
      drop(api.upkeep.count.key())
      return
    case 'upkeepProgress': {
      const { agent, done, total } = event
      queryClient.setQueryData(
        api.upkeep.list.queryKey({ input: { agent } }),
        (known) => known && { ...known, progress: { done, total } },
      )
      return
    }
    case 'moveProgress':
      // Moving an attachment sends no other event, so links are refetched when a move ends.
      if (!event.moving) drop(api.links.key())
      queryClient.setQueryData(api.links.moving.queryKey({ input: { agent: event.agent } }), event.moving)
      return
    case 'turnEnded':
      return
    case 'recovered':
      drop(api.search.key())
      toast.warning(i18next.t('error.recovered'))
      return
    case 'fault':
      // One id, so that the newest fault replaces the others.
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
      drop(api.history.timeline.key())
      drop(api.history.blame.key())
      drop(api.history.standing.key())
      return
    case 'acceptedChanged':
      drop(api.history.accepted.key())
      return
    case 'usageChanged':
      drop(api.settings.usage.key())
      return
    case 'healthChanged':
      drop(api.health.key())
      return
    case 'clientsChanged':
      drop(api.clients.key())
      return
    case 'mcpChanged':
      drop(api.settings.mcpServers.key())
      return
  }
}

/** Every window offers undo, not only the one in which the text was typed. */
function showCaptured({ agent, path, patch, client: by }: Extract<AppEvent, { type: 'captured' }>): void {
  const done = by === undefined ? i18next.t('capture.done', { path }) : i18next.t('clients.wrote', { name: by, path })
  showSuccess(done, () => client.workspace.undo({ agent, path, patch }), by === undefined ? {} : { id: `wrote-${by}` })
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
