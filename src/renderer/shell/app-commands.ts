import { useQuery } from '@tanstack/react-query'
import i18next from 'i18next'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import { useLocation } from 'wouter'
import type { Agent } from '#shared/contract/index.ts'
import { useSwitchAgent } from '../settings/agents/agent-switcher.tsx'
import { api, client } from '#lib/api/client.ts'
import { commandKeys } from '#lib/router/command-keys.ts'
import { runWithErrorToast } from '#lib/feedback/toast.ts'
import { locales } from '#lib/i18n/index.ts'
import { paths } from '#lib/router/paths.ts'
import { sections } from '../settings/setting-sections.ts'

export interface Command {
  readonly id: string
  readonly label: string
  readonly keywords: readonly string[]
  readonly keys?: string
  readonly run: () => void
}

export interface Frame {
  readonly agent: Agent
  readonly session: string | undefined
  readonly capture: () => void
  readonly newFile: () => void
  readonly toggleSidebar: () => void
  readonly palette: (mode: 'all' | 'files') => void
}

type Say = (t: typeof i18next.t) => string

function command(
  id: string,
  say: Say,
  run: () => void,
  { keys, keywords = [] }: { keys?: string; keywords?: readonly string[] } = {},
): Command {
  const english = say(i18next.getFixedT('en'))
  return { id, label: say(i18next.t), keywords: [english, ...keywords], ...(keys !== undefined && { keys }), run }
}

const doing = (work: () => Promise<unknown>) => () => void runWithErrorToast(work())

/** Returns a command for each available model. Queries the providers, so it is only used while the palette is open. */
export function useModelCommands(agent: Agent): Command[] {
  const models = useQuery(api.chat.models.queryOptions({ input: { agent: agent.id } })).data?.models ?? []
  return models
    .filter(({ available }) => available)
    .map(({ id }) =>
      command(
        `model/${id}`,
        (say) => say('palette.model', { model: id }),
        doing(() => client.settings.setModel({ agent: agent.id, model: id })),
      ),
    )
}

export function useCommands({ agent, session, capture, newFile, toggleSidebar, palette }: Frame): Command[] {
  // Rerenders the labels when the language changes.
  useTranslation()
  const [, navigate] = useLocation()
  const switchAgent = useSwitchAgent(agent)
  const agents = useQuery(api.agents.list.queryOptions()).data ?? []
  const go = (path: string) => () => navigate(path)
  const settings = (id: (typeof sections)[number]['id']) =>
    command(
      `settings/${id}`,
      (say) => `${say('settings.title')}: ${say(`settings.section.${id}`)}`,
      go(paths.settings(id)),
    )
  return [
    command('newChat', (say) => say('nav.newChat'), go(paths.chat()), { keys: commandKeys.newChat }),
    command('capture', (say) => say('capture.open'), capture, { keys: commandKeys.capture }),
    command('newFile', (say) => say('nav.newFile'), newFile),
    command(
      'goToFile',
      (say) => say('palette.openFile'),
      () => palette('files'),
      { keys: commandKeys.goToFile },
    ),
    command('search', (say) => say('palette.goSearch'), go(paths.search()), { keys: commandKeys.search }),
    command('findInFiles', (say) => say('find.title'), go(paths.find()), { keys: commandKeys.findInFiles }),
    command('chat', (say) => say('palette.goChat'), go(paths.chat(session)), { keys: commandKeys.chat }),
    command('context', (say) => say('palette.goContext'), go(paths.context(session)), { keys: commandKeys.context }),
    command('brokenLinks', (say) => say('links.brokenTitle'), go(paths.brokenLinks())),
    command('changes', (say) => say('changes.title'), go(paths.changes())),
    command('inbox', (say) => say('upkeep.title'), go(paths.inbox())),
    command(
      'upkeep',
      (say) => say('upkeep.look'),
      () => {
        navigate(paths.inbox())
        void runWithErrorToast(client.upkeep.look({ agent: agent.id }))
      },
    ),
    command('forget', (say) => say('forget.title'), go(paths.forget())),
    command('recalls', (say) => say('recalls.title'), go(paths.recalls())),
    command('checks', (say) => say('checks.title'), go(paths.checks())),
    ...(session === undefined
      ? []
      : [
          command(
            'stop',
            (say) => say('palette.stop'),
            doing(() => client.chat.stop({ agent: agent.id, session })),
            {
              keys: commandKeys.stop,
            },
          ),
        ]),
    command('sidebar', (say) => say('nav.toggleSidebar'), toggleSidebar, { keys: commandKeys.sidebar }),
    command(
      'reindex',
      (say) => say('palette.reindex'),
      () => reindex(agent.id),
    ),
    ...agents
      .filter(({ id, archived }) => id !== agent.id && !archived)
      .map(({ id, name }) =>
        command(
          `agent/${id}`,
          (say) => `${say('nav.agent')}: ${name}`,
          () => switchAgent(id),
          { keywords: [id] },
        ),
      ),
    command('settings', (say) => say('settings.title'), go(paths.settings()), { keys: commandKeys.settings }),
    ...sections.map(({ id }) => settings(id)),
    command('import', (say) => say('import.title'), go(paths.settings('import'))),
    ...(['system', 'light', 'dark'] as const).map((theme) =>
      command(
        `theme/${theme}`,
        (say) => say('palette.theme', { theme: say(`theme.${theme}`) }),
        doing(() => client.settings.setAppearance({ theme })),
      ),
    ),
    ...(['system', ...locales] as const).map((locale) =>
      command(
        `locale/${locale}`,
        (say) => say('palette.language', { language: say(`locale.${locale}`) }),
        doing(() => client.settings.setAppearance({ locale })),
      ),
    ),
    ...(['leave', 'delay', 'off'] as const).map((autosave) =>
      command(
        `autosave/${autosave}`,
        (say) => say('palette.autosave', { when: say(`autosave.${autosave}`) }),
        doing(() => client.settings.setAppearance({ autosave })),
      ),
    ),
  ]
}

function reindex(agent: string): void {
  const t = i18next.t
  const stop = new AbortController()
  toast.promise(client.search.reindex({ agent }, { signal: stop.signal }), {
    loading: t('palette.reindexing'),
    success: t('palette.reindexed'),
    error: () => (stop.signal.aborted ? t('palette.reindexCancelled') : t('error.index_unavailable')),
    cancel: { label: t('common.cancel'), onClick: () => stop.abort() },
  })
}
