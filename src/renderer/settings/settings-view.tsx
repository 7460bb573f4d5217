import { t } from 'i18next'
import { loadEditor } from '#lib/i18n/index.ts'
import { useQuery, keepPreviousData, useMutation } from '@tanstack/react-query'
import { useState, type ComponentProps, type ReactNode, lazy, Suspense } from 'react'
import { Link } from 'wouter'
import { toast } from 'sonner'
import type { ConfigProblem } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { TextLink, Button, Choice, Select, SearchField, ErrorState, Skeleton } from '#lib/ui/elements.tsx'
import { navigate, paths, useHash } from '#lib/router/paths.ts'
import { ViewHeader } from '#lib/ui/frames.tsx'
import { explainFault } from '#shared/i18n/explain.ts'
import { useDebounced } from '#lib/util/hooks.ts'
import { useShortcuts } from '#lib/util/shortcuts.ts'
import { PanelView, settingsPanels, useSettingsSearch } from './panels.tsx'
import { sectionAt, sections, type SectionId, type PlacedSetting } from './setting-rows.ts'
import { useSettings, settingNames, SettingRowView } from './setting-row.tsx'

type AgentScope = 'agent' | 'all'

export function SettingsView() {
  const agent = useAgent()
  const hash = useHash()
  const shown = sectionAt(hash)
  const [filter, setFilter] = useState('')
  const [chosenScope, setChosenScope] = useState<AgentScope>('agent')
  const agents = useQuery(api.agents.list.queryOptions()).data ?? []
  const isFiltered = filter.trim() !== ''
  return (
    <section aria-label={t('settings.title')} className="flex min-w-0 flex-1 flex-col">
      <ViewHeader title={t('settings.title')}>
        {agents.filter(({ archived }) => !archived).length > 1 && (
          <Choice
            label={t('settings.scope')}
            value={chosenScope}
            options={[
              { value: 'agent', name: t('settings.onlyAgent', { name: agent.name }) },
              { value: 'all', name: t('settings.allAgents') },
            ]}
            onChoose={setChosenScope}
          />
        )}
        <SearchField label={t('settings.find')} value={filter} onChange={setFilter} />
      </ViewHeader>
      <div className="@container flex min-h-0 flex-1">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col @2xl:flex-row">
          <SectionNav shown={isFiltered ? undefined : shown} onFollow={() => setFilter('')} />
          {hash === '#file' && !isFiltered ? (
            <ConfigFile />
          ) : (
            <div className="relative min-h-0 min-w-0 flex-1 overflow-y-auto" tabIndex={-1}>
              <div className="mx-auto flex max-w-[740px] flex-col gap-10 px-5 py-6 @2xl:px-8">
                {isFiltered ? (
                  <SearchResults chosenScope={chosenScope} query={filter.trim()} onFollow={() => setFilter('')} />
                ) : (
                  <SectionView key={shown} id={shown} chosenScope={chosenScope} />
                )}
              </div>
            </div>
          )}
        </div>
      </div>
    </section>
  )
}

function SectionView({ id, chosenScope }: { id: SectionId; chosenScope: AgentScope }) {
  const { groupNameOf } = settingNames(t)
  const target = useHash().slice(1)
  const { settings, error, refetch } = useSettings()
  const panels = settingsPanels().filter(({ section }) => section === id)
  const list = settings?.all.filter(({ section }) => section === id) ?? []
  const everyday = list.filter(({ isEveryday }) => isEveryday)
  const advanced = list.filter(({ isEveryday }) => !isEveryday)
  const advancedPanels = panels.filter(({ isAdvanced }) => isAdvanced)
  const hasAdvancedTarget =
    target !== id &&
    [...advancedPanels.map((panel) => panel.id), ...advanced.map(({ row }) => row.path.join('.'))].some((name) =>
      `${name}.`.startsWith(`${target}.`),
    )
  const show = settings && { settings, chosenScope }
  return (
    <>
      {error && <ErrorState error={error} onRetry={refetch} />}
      {!show && !error && <Skeleton lines={8} />}
      {show && everyday.length > 0 && <SettingList title={t(`settings.section.${id}`)} list={everyday} {...show} />}
      {panels.map((panel) => !panel.isAdvanced && <PanelView key={panel.id} panel={panel} />)}
      {show && advanced.length + advancedPanels.length > 0 && (
        <Advanced key={String(hasAdvancedTarget)} isOpenAtFirst={hasAdvancedTarget}>
          {[...Map.groupBy(advanced, ({ group }) => group)].map(([group, members]) => (
            <SettingList key={group} title={groupNameOf(group)} list={members} {...show} />
          ))}
          {advancedPanels.map((panel) => (
            <PanelView key={panel.id} panel={panel} />
          ))}
        </Advanced>
      )}
    </>
  )
}

function Advanced({ isOpenAtFirst, children }: { isOpenAtFirst: boolean; children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(isOpenAtFirst)
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary className="min-h-6 w-fit rounded-sm text-muted hover:text-text">{t('settings.advanced')}</summary>
      {isOpen && <div className="flex flex-col gap-8 pt-6">{children}</div>}
    </details>
  )
}

interface SearchResultsProps {
  readonly chosenScope: AgentScope
  readonly query: string
  readonly onFollow: () => void
}

function SearchResults({ chosenScope, query, onFollow }: SearchResultsProps) {
  const { settings, error, refetch, panels, list } = useSettingsSearch(query)
  if (error) return <ErrorState error={error} onRetry={refetch} />
  if (!settings) return <Skeleton lines={8} />
  const show = { settings, chosenScope }
  return (
    <>
      {panels.length > 0 && (
        <ul aria-label={t('settings.sections')} className="flex flex-col gap-1">
          {panels.map(({ id, title, section }) => (
            <li key={id}>
              <TextLink href={paths.settings(id)} onClick={onFollow}>
                {title}
              </TextLink>
              <span className="pl-2 text-muted">{t(`settings.section.${section}`)}</span>
            </li>
          ))}
        </ul>
      )}
      {list.length === 0 && panels.length === 0 && <p className="text-muted">{t('settings.noMatch')}</p>}
      {[...Map.groupBy(list, ({ section }) => section)].map(([id, members]) => (
        <SettingList key={id} title={t(`settings.section.${id}`)} list={members} {...show} />
      ))}
    </>
  )
}

function SectionNav({ shown, onFollow }: { shown: SectionId | undefined; onFollow: () => void }) {
  return (
    <>
      <nav
        aria-label={t('settings.sections')}
        className="hidden w-44 shrink-0 flex-col gap-0.5 overflow-y-auto border-r border-line p-3 @2xl:flex"
      >
        {sections.map(({ id }) => (
          <Link
            key={id}
            href={paths.settings(id)}
            onClick={onFollow}
            aria-current={id === shown ? 'page' : undefined}
            className="flex min-h-7 items-center rounded-sm px-2 text-muted hover:bg-soft hover:text-text aria-[current]:bg-selected aria-[current]:text-text"
          >
            {t(`settings.section.${id}`)}
          </Link>
        ))}
      </nav>
      <Select
        label={t('settings.sections')}
        value={shown ?? ''}
        options={[
          ...(shown === undefined ? [{ value: '', name: t('settings.find') }] : []),
          ...sections.map(({ id }) => ({ value: id, name: t(`settings.section.${id}`) })),
        ]}
        onChoose={(section) => {
          onFollow()
          navigate(paths.settings(section))
        }}
        className="m-3 mb-0 min-h-8 px-2 @2xl:hidden"
      />
    </>
  )
}

interface SettingListProps extends Omit<ComponentProps<typeof SettingRowView>, 'setting'> {
  readonly title: string
  readonly list: readonly PlacedSetting[]
}

function SettingList({ title, list, ...show }: SettingListProps) {
  return (
    <section aria-label={title}>
      <h2 className="border-b border-soft pb-1 text-[15px] font-semibold">{title}</h2>
      {list.map((setting) => (
        <SettingRowView key={setting.row.path.join('.')} setting={setting} {...show} />
      ))}
    </section>
  )
}

const YamlEditor = lazy(() => loadEditor(() => import('./yaml-editor.tsx')))

const checkPauseMs = 250
const noProblems: readonly ConfigProblem[] = []

function ConfigFile() {
  const source = useQuery(api.settings.source.queryOptions())
  if (source.error) return <ErrorState error={source.error} onRetry={() => void source.refetch()} />
  if (!source.data) return <Skeleton lines={12} />
  return <Editor diskText={source.data.text} lastGood={source.data.lastGood} />
}

/** @param lastGood the text in use while the file has problems */
function Editor({ diskText, lastGood }: { diskText: string; lastGood: string | undefined }) {
  /** The version on which the edits are based, and the text shown without edits. */
  const [base, setBase] = useState(diskText)
  const [content, setContent] = useState({ text: diskText })
  const [text, setText] = useState(diskText)
  const { data: problems = noProblems } = useQuery(
    api.settings.check.queryOptions({
      input: { text: useDebounced(text, checkPauseMs) },
      placeholderData: keepPreviousData,
      // Results of earlier texts are not needed again.
      gcTime: 0,
    }),
  )
  const isChanged = text !== base
  // Shows an external change unless there are edits; then it is merged on save.
  const showText = (newText: string) => {
    setBase(newText)
    setText(newText)
    setContent({ text: newText })
  }
  if (!isChanged && diskText !== base) showText(diskText)
  const saving = useMutation(
    api.settings.save.mutationOptions({
      onSuccess(saved) {
        showText(saved.text)
        toast.success(t(saved.isMerged ? 'file.merged' : 'settings.saved'))
      },
    }),
  )
  const save = () => saving.mutate({ text, baseText: base })
  useShortcuts({ 'Mod+S': save })
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <div className="flex min-h-10 flex-wrap items-center gap-x-3 border-b border-line px-5 py-1">
        <p role="status" className={`min-w-0 flex-1 truncate ${problems.length > 0 ? 'text-bad' : 'text-muted'}`}>
          {problems[0]
            ? t('settings.problem', {
                line: problems[0].line ?? 1,
                message: [problems[0].key, explainFault(problems[0])].filter(Boolean).join(': '),
              })
            : t(isChanged ? 'settings.notSaved' : 'settings.fine')}
        </p>
        {lastGood !== undefined && text !== lastGood && (
          <Button
            onClick={() => {
              setText(lastGood)
              setContent({ text: lastGood })
            }}
          >
            {t('settings.useLastGood')}
          </Button>
        )}
        <Button look="quiet" disabled={!isChanged} onClick={() => showText(diskText)}>
          {t('settings.revert')}
        </Button>
        <Button
          look="primary"
          disabled={!isChanged || problems.some(({ fault }) => fault !== 'unknown')}
          onClick={save}
        >
          {t('file.save')}
        </Button>
      </div>
      <Suspense fallback={<Skeleton lines={12} />}>
        <YamlEditor label="config.yaml" content={content} problems={problems} onChange={setText} />
      </Suspense>
    </div>
  )
}
