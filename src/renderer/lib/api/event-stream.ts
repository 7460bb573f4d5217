import i18next from 'i18next'
import { toast } from 'sonner'
import type { AppEvent } from '#shared/contract/index.ts'
import { tellDone } from '../feedback/toast.ts'
import { api, client, connection, queryClient } from './client.ts'

/** Runs for the life of the window; starts over whenever the connection was lost. */
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

/** Told to the window when something outside of it asks for a place. */
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
      // The conversation that is open follows its own stream, until it is put aside; others are read anew when opened.
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
      // What is no note moves without a word of it elsewhere.
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
      // One at a time: the newest stands for the others.
      toast.error(i18next.t(event.isRepeated ? 'error.faults' : 'error.fault', { reference: event.reference }), {
        id: 'fault',
        duration: Infinity,
      })
      return
    case 'goTo':
      window.dispatchEvent(new CustomEvent<string>(goToEvent, { detail: event.place }))
      return
    case 'captured':
      tellCaptured(event)
      return
    case 'historyChanged':
      // Where a file went that is not there any more is known by now.
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

/** Whatever window it was typed in: here it can be taken back. */
function tellCaptured({ agent, path, patch, client: by }: Extract<AppEvent, { type: 'captured' }>): void {
  const done = by === undefined ? i18next.t('capture.done', { path }) : i18next.t('clients.wrote', { name: by, path })
  tellDone(done, () => client.workspace.undo({ agent, path, patch }), by === undefined ? {} : { id: `wrote-${by}` })
}

function untilOpen(): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (connection.state !== 'open') return
      stop()
      resolve()
    }
    const stop = connection.onChange(check)
    // A stream can end while the connection stays: do not spin then.
    setTimeout(check, 250)
  })
}
