import { useQuery } from '@tanstack/react-query'
import i18next from 'i18next'
import { toast } from 'sonner'
import type { Appearance } from '#shared/contract/index.ts'
import { useSwitchAgent } from '../settings/agents.tsx'
import { api, client } from '#lib/api/client.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { commandKeys } from '#lib/util/shortcuts.ts'
import { runWithErrorToast } from '#lib/feedback/toast.ts'
import { locales } from '#shared/i18n/locale.ts'
import { useNotesPath } from '#lib/notes/use-vault-settings.ts'
import { navigate, paths } from '#lib/router/paths.ts'
import { sections } from '../settings/setting-rows.ts'

export interface Command {
  readonly id: string
  readonly label: string
  readonly keywords: readonly string[]
  readonly keys: string | undefined
  readonly run: () => void
}

interface CommandContext {
  readonly session: string | undefined
  readonly capture: () => void
  readonly newFile: () => void
  /** Undefined if no note is open. */
  readonly rename: (() => void) | undefined
  readonly toggleSidebar: () => void
  readonly goToFile: () => void
}

type LabelOf = (t: typeof i18next.t) => string

function command(id: string, labelOf: LabelOf, run: () => void, keys?: string): Command {
  const wordsKey = `commandWords.${id.replace('/', '_')}` as 'commandWords.search'
  const keywords = [i18next.t, i18next.getFixedT('en')].flatMap((t) => [labelOf(t), t(wordsKey, { defaultValue: '' })])
  return { id, label: labelOf(i18next.t), keywords, keys, run }
}

const runAsync = (action: () => Promise<unknown>) => () => void runWithErrorToast(action())
const setAppearance = (key: keyof Appearance, value: string) =>
  runAsync(() => client.settings.set({ path: ['interface', key], value }))

const inspectLabel = (t: typeof i18next.t, page: 'sent' | 'found' | 'tested') =>
  t('common.pair', { name: t('inspect.title'), value: t(`inspect.${page}`) })

/** Queries the providers; used only while the palette is open. */
export function useModelCommands(): Command[] {
  const { id: agent } = useAgent()
  const models = useQuery(api.chat.models.queryOptions({ input: { agent: agent } })).data?.models ?? []
  const choose = (model: string) => runAsync(() => client.settings.setModel({ agent: agent, model }))
  return models
    .filter(({ available }) => available)
    .map(({ id }) =>
      command(
        `model/${id}`,
        (t) => t('chat.model', { model: id === 'offline' ? t('status.noModel') : id }),
        choose(id),
      ),
    )
}

export function useCommands({ session, capture, newFile, rename, toggleSidebar, goToFile }: CommandContext): Command[] {
  const agent = useAgent()
  const switchAgent = useSwitchAgent()
  const agents = useQuery(api.agents.list.queryOptions()).data ?? []
  const notesPath = useNotesPath(agent.id)
  const goTo = (path: string) => () => navigate(path)
  const stopTurn = (stopped: string) => runAsync(() => client.chat.stop({ agent: agent.id, session: stopped }))
  const lookForSuggestions = () => {
    navigate(paths.inbox())
    void runWithErrorToast(client.suggestions.look({ agent: agent.id }))
  }
  const settingsCommand = (id: (typeof sections)[number]['id']) =>
    command(
      `settings/${id}`,
      (t) => t('common.pair', { name: t('settings.title'), value: t(`settings.section.${id}`) }),
      goTo(paths.settings(id)),
    )
  return [
    command('newChat', (t) => t('nav.newChat'), goTo(paths.chat()), commandKeys.newChat),
    command('capture', (t) => t('shortcut.capture'), capture, commandKeys.capture),
    command('newFile', (t) => t('nav.newFile'), newFile),
    ...(rename ? [command('rename', (t) => t('file.rename'), rename)] : []),
    command('goToFile', (t) => t('shortcut.goToFile'), goToFile, commandKeys.goToFile),
    command('search', (t) => t('shortcut.searchView'), goTo(paths.search()), commandKeys.search),
    command('findInFiles', (t) => t('find.title'), goTo(paths.find()), commandKeys.findInFiles),
    command('notes', (t) => t('nav.notes'), goTo(notesPath), commandKeys.notes),
    command('chat', (t) => t('shortcut.chat'), goTo(paths.chat(session)), commandKeys.chat),
    command('inspect', (t) => inspectLabel(t, 'sent'), goTo(paths.sent(session)), commandKeys.inspect),
    command('brokenLinks', (t) => t('links.broken'), goTo(paths.brokenLinks())),
    command('changes', (t) => t('nav.changes'), goTo(paths.changes())),
    command('inbox', (t) => t('suggestions.title'), goTo(paths.inbox()), commandKeys.suggestions),
    command('upkeep', (t) => t('suggestions.look'), lookForSuggestions),
    command('forget', (t) => t('deletePermanently.title'), goTo(paths.forget())),
    command('found', (t) => inspectLabel(t, 'found'), goTo(paths.found())),
    command('recalls', (t) => t('recalls.title'), goTo(paths.recalls())),
    command('tested', (t) => inspectLabel(t, 'tested'), goTo(paths.checks())),
    ...(session === undefined ? [] : [command('stop', (t) => t('shortcut.stop'), stopTurn(session), commandKeys.stop)]),
    command('sidebar', (t) => t('shortcut.sidebar'), toggleSidebar, commandKeys.sidebar),
    command('reindex', (t) => t('palette.reindex'), reindex(agent.id)),
    ...agents
      .filter(({ id, archived }) => id !== agent.id && !archived)
      .map(({ id, name }) =>
        command(
          `agent/${id}`,
          (t) => t('common.pair', { name: t('nav.agent'), value: name }),
          () => switchAgent(id),
        ),
      ),
    command('settings', (t) => t('settings.title'), goTo(paths.settings()), commandKeys.settings),
    ...sections.map(({ id }) => settingsCommand(id)),
    command('import', (t) => t('import.title'), goTo(paths.settings('import'))),
    ...(['system', 'light', 'dark'] as const).map((theme) =>
      command(
        `theme/${theme}`,
        (t) => t('palette.theme', { theme: t(`theme.${theme}`) }),
        setAppearance('theme', theme),
      ),
    ),
    ...(['system', ...locales] as const).map((locale) =>
      command(
        `locale/${locale}`,
        (t) => t('palette.language', { language: t(`locale.${locale}`) }),
        setAppearance('locale', locale),
      ),
    ),
    ...(['leave', 'delay', 'off'] as const).map((autosave) =>
      command(
        `autosave/${autosave}`,
        (t) => t('palette.autosave', { when: t(`autosave.${autosave}`) }),
        setAppearance('autosave', autosave),
      ),
    ),
  ]
}

const reindex = (agent: string) => () => {
  const { t } = i18next
  const controller = new AbortController()
  toast.promise(client.search.reindex({ agent }, { signal: controller.signal }), {
    loading: t('palette.reindexing'),
    success: t('palette.reindexed'),
    error: () => (controller.signal.aborted ? t('palette.reindexCancelled') : t('error.index_unavailable')),
    cancel: { label: t('common.cancel'), onClick: () => controller.abort() },
  })
}
