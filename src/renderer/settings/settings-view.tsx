import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'wouter'
import type { Agent } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { ErrorState } from '#lib/feedback/error-state.tsx'
import { paths, useHash } from '#lib/router/paths.ts'
import { SearchField } from '#lib/ui/search-field.tsx'
import { Select } from '#lib/ui/select.tsx'
import { Skeleton } from '#lib/ui/states.tsx'
import { ViewHeader } from '#lib/ui/view-header.tsx'
import { ConfigFile } from './config-file.tsx'
import { PanelView, usePanels } from './panels.tsx'
import { sectionAt, sections, type SectionId, type PlacedSetting } from './setting-sections.ts'
import { useSettingsSearch } from './use-settings-search.ts'
import { useSettings, type Settings } from './use-settings.ts'
import { useSettingNames } from './setting-name.ts'
import { SettingRowView } from './setting-row.tsx'

export function SettingsView({ agent }: { agent: Agent }) {
  const { t } = useTranslation()
  const file = useQuery(api.settings.get.queryOptions()).data?.file
  const shown = sectionAt(useHash())
  const [filter, setFilter] = useState('')
  const isFiltered = filter.trim() !== ''
  return (
    <section aria-label={t('settings.title')} className="flex min-w-0 flex-1 flex-col">
      <ViewHeader
        title={t('settings.title')}
        aside={<span className="font-mono text-[12px] max-sm:hidden">{file}</span>}
      >
        <SearchField label={t('settings.find')} value={filter} onChange={setFilter} />
      </ViewHeader>
      <div className="@container flex min-h-0 flex-1">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col @2xl:flex-row">
          <SectionNav shown={isFiltered ? undefined : shown} onFollow={() => setFilter('')} />
          {shown === 'file' && !isFiltered ? (
            <ConfigFile />
          ) : (
            <div className="relative min-h-0 min-w-0 flex-1 overflow-y-auto" tabIndex={-1}>
              <div className="mx-auto flex max-w-[740px] flex-col gap-10 px-5 py-6 @2xl:px-8">
                {isFiltered ? (
                  <SearchResults agent={agent} query={filter.trim()} onFollow={() => setFilter('')} />
                ) : (
                  <SectionView key={shown} id={shown} agent={agent} />
                )}
              </div>
            </div>
          )}
        </div>
      </div>
    </section>
  )
}

function SectionView({ id, agent }: { id: SectionId; agent: Agent }) {
  const { t } = useTranslation()
  const { settings, error, refetch } = useSettings(agent)
  const panels = usePanels(agent).filter(({ section }) => section === id)
  const list = settings?.all.filter(({ section }) => section === id) ?? []
  const hasSettings = sections.some((section) => section.id === id && section.groups.length > 0)
  return (
    <>
      {panels.map((panel) => (
        <PanelView key={panel.id} panel={panel} />
      ))}
      {hasSettings && (
        <>
          <header>
            <h2 className="text-[15px] font-semibold">{t(`settings.section.${id}`)}</h2>
            <p className="text-muted">{t('settings.allLead')}</p>
          </header>
          {error && <ErrorState error={error} onRetry={refetch} />}
          {settings ? <SettingList list={list} settings={settings} agent={agent} /> : !error && <Skeleton lines={8} />}
        </>
      )}
    </>
  )
}

interface SearchResultsProps {
  readonly agent: Agent
  readonly query: string
  readonly onFollow: () => void
}

function SearchResults({ agent, query, onFollow }: SearchResultsProps) {
  const { t } = useTranslation()
  const { settings, error, refetch, panels, list } = useSettingsSearch(agent, query)
  if (error) return <ErrorState error={error} onRetry={refetch} />
  if (!settings) return <Skeleton lines={8} />
  return (
    <>
      {panels.length > 0 && (
        <ul aria-label={t('settings.sections')} className="flex flex-col gap-1">
          {panels.map(({ id, title, section }) => (
            <li key={id}>
              <Link href={paths.settings(id)} onClick={onFollow} className="text-accent hover:underline">
                {title}
              </Link>
              <span className="pl-2 text-muted">{t(`settings.section.${section}`)}</span>
            </li>
          ))}
        </ul>
      )}
      {list.length === 0 && panels.length === 0 && <p className="text-muted">{t('settings.noMatch')}</p>}
      <SettingList list={list} settings={settings} agent={agent} />
    </>
  )
}

function SectionNav({ shown, onFollow }: { shown: SectionId | undefined; onFollow: () => void }) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
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

interface SettingListProps {
  readonly list: readonly PlacedSetting[]
  readonly settings: Settings
  readonly agent: Agent
}

function SettingList({ list, settings, agent }: SettingListProps) {
  const { groupNameOf } = useSettingNames()
  return [...Map.groupBy(list, ({ group }) => group)].map(([group, members]) => (
    <section key={group} aria-label={groupNameOf(group)}>
      <h3 className="border-b border-soft pb-1 font-semibold text-muted">{groupNameOf(group)}</h3>
      {members.map((setting) => (
        <SettingRowView
          key={`${agent.id}/${setting.row.path.join('.')}`}
          setting={setting}
          settings={settings}
          agent={agent}
        />
      ))}
    </section>
  ))
}
