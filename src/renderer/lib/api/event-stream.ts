import type { QueryKey } from '@tanstack/react-query'
import i18next from 'i18next'
import { toast, type ExternalToast } from 'sonner'
import type { AppEvent } from '#shared/contract/index.ts'
import { withoutPrivateMarks } from '#shared/markdown/visibility.ts'
import { showChange } from '../feedback/change-toast.ts'
import { runWithErrorToast, showSuccess } from '../feedback/toast.ts'
import { paths } from '../router/paths.ts'
import { api, client, connection, queryClient } from './client.ts'

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

/** Duration of the offer about a saved note, ms: time to read two notes. It stays in Suggestions. */
const matchToastMs = 30_000

const staleQueries: { readonly [Type in AppEvent['type']]?: Queries } = {
  filesChanged: [
    api.conventions,
    api.workspace,
    api.links,
    api.tags,
    api.context,
    api.savedSearches.list,
    api.history.standing,
    api.chats.openLines,
    api.chats.madePrivate,
  ],
  indexChanged: [api.search, api.workspace.list],
  sessionChanged: [api.chats.list, api.chats.find, api.chats.openLines, api.chats.madePrivate, api.search.recalls],
  contextChanged: [api.context],
  agentsChanged: [api.conventions, api.agents, api.settings, api.workspace, api.search, api.context, api.chat.models],
  settingsChanged: [
    api.conventions,
    api.settings,
    api.context,
    api.history,
    api.search,
    api.workspace.list,
    api.agents,
    api.chat.models,
  ],
  savedSearchesChanged: [api.savedSearches.list],
  suggestionsChanged: [api.suggestions.list, api.suggestions.count],
  recovered: [api.search],
  historyChanged: [api.history.timeline, api.history.blame, api.history.standing, api.history.batches],
  usageChanged: [api.settings.usage],
  healthChanged: [api.health],
  clientsChanged: [api.clients],
  mcpChanged: [api.settings.mcpServers],
}

type Queries = readonly { readonly key: () => QueryKey }[]

function invalidate(queries: Queries): void {
  for (const query of queries) void queryClient.invalidateQueries({ queryKey: query.key() })
}

function applyEvent(event: AppEvent): void {
  invalidate(staleQueries[event.type] ?? [])
  switch (event.type) {
    case 'indexStatus':
      queryClient.setQueryData(api.search.status.queryKey({ input: { agent: event.agent } }), event.status)
      return
    case 'sessionChanged': {
      const input = { agent: event.agent, session: event.session }
      void queryClient.invalidateQueries({ queryKey: api.chats.usage.key({ input }) })
      // An open chat follows its own stream, except for archiving and restoring.
      const refetchType = event.isWhole ? 'active' : 'none'
      void queryClient.invalidateQueries({ queryKey: api.chats.get.key({ input }), refetchType })
      return
    }
    case 'moveProgress':
      // Moving an attachment sends no other event.
      if (!event.moving) invalidate([api.links, api.history.batches])
      queryClient.setQueryData(api.links.moving.queryKey({ input: { agent: event.agent } }), event.moving)
      return
    case 'recovered':
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
    case 'captured': {
      const { agent, path, change, client: name } = event
      const text = i18next.t(name === undefined ? 'capture.done' : 'programs.wrote', { name: name ?? '', path })
      showChange(text, agent, change, name === undefined ? {} : { id: `wrote-${name}` })
      return
    }
    case 'noteMatched':
      showMatch(event)
      return
    case 'historyChanged':
      // Files that failed to load may now be found under their new path.
      void queryClient.invalidateQueries({
        queryKey: api.workspace.read.key(),
        predicate: ({ state }) => state.status === 'error',
      })
  }
}

/** Says where a saved note stands already, or asks if it replaces an older line. */
function showMatch(event: Extract<AppEvent, { type: 'noteMatched' }>): void {
  const { agent, path, line, text, proposal: suggestion, hasOtherFacts } = event
  const show = (title: string, buttons: ExternalToast) =>
    toast.info(title, {
      description: i18next.t('common.placed', { text: withoutPrivateMarks(text), place: `${path}:${line}` }),
      duration: matchToastMs,
      style: { flexWrap: 'wrap' },
      classNames: { content: 'basis-5/6!' },
      ...buttons,
    })
  const open = () => window.dispatchEvent(new CustomEvent(goToEvent, { detail: paths.file(path, line) }))
  if (suggestion === undefined)
    return void show(i18next.t(hasOtherFacts ? 'capture.otherFacts' : 'capture.known'), {
      action: { label: i18next.t('tool.open'), onClick: open },
    })
  const input = { agent, ids: [suggestion] }
  const replace = async () => {
    const { acceptance, accepted } = await client.suggestions.accept(input)
    if (accepted === 0) toast.warning(i18next.t('suggestions.gone', { count: 1 }))
    else if (acceptance === null) toast.success(i18next.t('capture.replaced'))
    else showSuccess(i18next.t('capture.replaced'), () => client.suggestions.undo({ agent, acceptance }))
  }
  const keepBoth = async () => {
    await client.suggestions.refuse(input)
    showSuccess(i18next.t('capture.bothKept'), () => client.suggestions.reopen(input), { look: 'plain' })
  }
  show(i18next.t('capture.changed'), {
    action: { label: i18next.t('capture.replace'), onClick: () => void runWithErrorToast(replace()) },
    cancel: { label: i18next.t('capture.bothTrue'), onClick: () => void runWithErrorToast(keepBoth()) },
  })
}

async function untilOpen(): Promise<void> {
  // A stream can end while the connection stays open: the delay prevents a busy loop.
  do await new Promise((resolve) => setTimeout(resolve, 250))
  while (connection.state !== 'open')
}
