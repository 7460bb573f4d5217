import i18next, { t } from 'i18next'
import { useEffect, useRef, useState } from 'react'
import { toast } from 'sonner'
import { useQuery, useMutation } from '@tanstack/react-query'
import type { OutboundRequest } from '#shared/contract/index.ts'
import { commandKeys, formatBoundKeys, keysOfEvent, formatKeys } from '#lib/util/shortcuts.ts'
import { useHash, paths } from '#lib/router/paths.ts'
import { api } from '#lib/api/client.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { ErrorState, Skeleton, EmptyState, Button, TextLink, SearchField, Select } from '#lib/ui/elements.tsx'
import { formatBytes, formatNumber, formatMoment } from '#lib/i18n/format.ts'
import { SearchModeSetting } from '#lib/search/search-mode.tsx'
import { AgentsSettings } from './agents.tsx'
import { ImportSettings } from './import.tsx'
import { ConnectPrograms, KnownPrograms, ToolServers } from './programs.tsx'
import { ModelCard, SpendingPanel } from './model-card.tsx'
import { sectionAt, type PlacedSetting } from './setting-rows.ts'
import { UpdatePanel, ProblemList } from './health.tsx'
import { Download, RefreshCw } from 'lucide-react'
import { download } from '#lib/util/download.ts'
import { nameRanker, useChineseNames } from '#lib/util/name-match.ts'
import { settingNames, useSettings } from './setting-row.tsx'
import { VirtualRows } from '#lib/ui/virtual-rows.tsx'

// The type of `Object.entries` lacks the names.
const commands = Object.entries(commandKeys) as [keyof typeof commandKeys, string][]

export function settingsPanels() {
  const panels = [
    {
      id: 'agents',
      /** Besides the title and lead: field names and configuration keys. */
      searchTerms: `${t('chats.name')} ${t('agents.color')} ${t('agents.folder')} ${t('agents.archive')} ${t('agents.ownFolder')} name color workspace archived shareWith vault.own`,
      titleAndLead: ['agents.title', 'agents.lead'],
      body: <AgentsSettings />,
    },
    {
      id: 'providers',
      searchTerms: `${t('settings.apiKey')} ${t('settings.baseUrl')} Anthropic OpenAI baseUrl headers proxy contextWindow maxOutput prices`,
      titleAndLead: ['settings.section.models', 'settings.modelsLead'],
      body: <ModelSettings />,
    },
    {
      id: 'spending',
      searchTerms: `${t('settings.limit')} monthlyLimit`,
      titleAndLead: ['settings.spending', 'settings.spendingLead'],
      body: <SpendingPanel />,
    },
    {
      id: 'searchMode',
      isAdvanced: true,
      searchTerms: `${t('whatIf.default')} ${t('whatIf.classic')} OpenClaw memory.search memory.chunking weights minScore`,
      titleAndLead: ['whatIf.mode', 'whatIf.modeLead'],
      body: <SearchModeSetting />,
    },
    {
      id: 'tools',
      isAdvanced: true,
      searchTerms: 'MCP mcp.servers permission command url',
      titleAndLead: ['settings.tools', 'settings.toolsLead'],
      body: <ToolServers />,
    },
    {
      id: 'programs',
      searchTerms: `MCP Claude Code Desktop Codex Cursor VS Code Goose Gemini Windsurf ChatGPT ${t('programs.command')}`,
      titleAndLead: ['programs.title', 'programs.lead'],
      body: <ConnectPrograms />,
    },
    {
      id: 'knownPrograms',
      searchTerms: `MCP HTTP token ${t('programs.may')} ${t('programs.newToken')}`,
      titleAndLead: ['programs.knownTitle', 'programs.knownLead'],
      body: <KnownPrograms />,
    },
    {
      id: 'shortcuts',
      searchTerms: commands.map(([name, keys]) => `${t(`shortcut.${name}`)} ${formatBoundKeys(keys)}`).join(' '),
      titleAndLead: ['shortcut.title', 'shortcut.lead'],
      body: <ShortcutList />,
    },
    { id: 'health', titleAndLead: ['health.title', 'health.lead'], body: <HealthList /> },
    { id: 'outbound', titleAndLead: ['outbound.title', 'outbound.lead'], body: <OutboundList /> },
    { id: 'data', titleAndLead: ['settings.section.data', 'data.lead'], body: <DataLocations /> },
    { id: 'import', titleAndLead: ['import.title', 'import.lead'], body: <ImportSettings /> },
    { id: 'version', titleAndLead: ['about.title', 'about.lead'], body: <Version /> },
    { id: 'log', isAdvanced: true, titleAndLead: ['log.title', 'log.lead'], body: <LogView /> },
  ] as const
  return panels.map(({ titleAndLead: [title, lead], ...panel }) => ({
    isAdvanced: false,
    searchTerms: '',
    ...panel,
    title: t(title),
    lead: t(lead),
    section: sectionAt(panel.id),
  }))
}

export function PanelView({ panel: { id, title, lead, body } }: { panel: ReturnType<typeof settingsPanels>[number] }) {
  const frame = useRef<HTMLElement>(null)
  const isTarget = useHash() === `#${id}`
  useEffect(() => {
    if (isTarget) frame.current?.scrollIntoView({ block: 'start' })
  }, [isTarget])
  return (
    <section ref={frame} aria-labelledby={`settings-${id}`} className="flex scroll-mt-4 flex-col gap-4">
      <header>
        <h2 id={`settings-${id}`} className="text-[15px] font-semibold">
          {title}
        </h2>
        <p className="text-muted">{lead}</p>
      </header>
      {body}
    </section>
  )
}

function Version() {
  const { version, file } = useQuery(api.settings.get.queryOptions()).data ?? {}
  return (
    <div className="flex flex-col gap-1">
      <p>{t('about.version', { version })}</p>
      <p className="flex flex-wrap gap-x-3">
        <span className="font-mono text-[12px] break-all text-muted">{file}</span>
        <TextLink href={paths.settings('file')}>{t('health.remedy.configFile')}</TextLink>
      </p>
      <UpdatePanel />
    </div>
  )
}

function DataLocations() {
  const locations = useQuery({ ...api.settings.locations.queryOptions(), staleTime: 10_000 })
  if (locations.error) return <ErrorState error={locations.error} onRetry={() => void locations.refetch()} />
  if (!locations.data) return <Skeleton lines={5} />
  return (
    <div className="flex flex-col gap-3">
      <table className="w-full text-left text-[12px]">
        <thead className="text-muted">
          <tr className="border-b border-line whitespace-nowrap">
            <th className="py-1 font-medium">{t('data.what')}</th>
            <th className="font-medium">{t('data.where')}</th>
            <th className="text-right font-medium">{t('data.files')}</th>
            <th className="text-right font-medium">{t('data.size')}</th>
          </tr>
        </thead>
        <tbody>
          {locations.data.map(({ kind, path, agent, bytes, files, isComplete }) => (
            <tr key={`${kind}/${path}`} data-testid="location" className="border-b border-soft">
              <td className="py-1 pr-4 whitespace-nowrap">
                {t(`data.kind.${kind}`)}
                {agent !== undefined && <span className="text-muted"> · {agent}</span>}
              </td>
              <td className="w-full max-w-0 truncate pr-4 font-mono" title={path}>
                {path}
              </td>
              <td className="tabular text-right">{formatNumber(files)}</td>
              <td className="tabular pl-4 text-right whitespace-nowrap">
                {isComplete ? '' : '≥ '}
                {formatBytes(bytes)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <TextLink href={paths.forget()} className="self-start">
        {t('data.forget')}
      </TextLink>
    </div>
  )
}

function ModelSettings() {
  const agent = useAgent()
  const setModel = useMutation(api.settings.setModel.mutationOptions())
  const use = (model: string) => setModel.mutate({ agent: agent.id, model })
  return <ModelCard key={agent.id} inUse={agent.model} onUse={use} />
}

function HealthList() {
  const { id: agent } = useAgent()
  const problems = useQuery(api.health.problems.queryOptions({ input: { agent: agent } }))
  if (problems.error) return <ErrorState error={problems.error} onRetry={() => void problems.refetch()} />
  if (!problems.data) return <Skeleton lines={2} />
  if (problems.data.length === 0) return <p className="text-muted">{t('health.good')}</p>
  return <ProblemList label={t('health.title')} problems={problems.data} />
}

function ShortcutList() {
  const [recording, setRecording] = useState<string>()
  const customKeys = useQuery(api.settings.get.queryOptions()).data?.shortcuts ?? {}
  const setting = useMutation(api.settings.set.mutationOptions())
  const setKeys = (keys: string, value: string | undefined) => {
    setRecording(undefined)
    const path = ['shortcuts', keys]
    const taken = commands.find(([, other]) => other !== keys && (customKeys[other] ?? other) === value)
    if (taken) {
      const command = t(`shortcut.${taken[0]}`)
      return void toast.error(t('shortcut.taken', { keys: formatKeys(value ?? ''), command }))
    }
    setting.mutate(value === undefined ? { path, reset: true } : { path, value })
  }
  return (
    <ul className="flex flex-col">
      {commands.map(([command, keys]) => {
        const current = customKeys[keys] ?? keys
        return (
          <li key={command} data-testid="shortcut" className="flex min-h-9 items-center gap-3 border-b border-soft">
            <span className="flex-1">{t(`shortcut.${command}`)}</span>
            {current !== keys && (
              <Button look="link" onClick={() => setKeys(keys, undefined)}>
                {t('shortcut.asBefore', { keys: formatKeys(keys) })}
              </Button>
            )}
            <Button
              aria-label={t('shortcut.change', { keys: formatKeys(current) })}
              onClick={() => setRecording(command)}
              onBlur={() => setRecording(undefined)}
              onKeyDown={(event) => {
                if (recording !== command || event.key === 'Tab') return
                event.preventDefault()
                event.stopPropagation()
                if (event.key === 'Escape') return setRecording(undefined)
                const pressed = keysOfEvent(event.nativeEvent)
                if (/\+[^+]+$/.test(pressed) && !/(Control|Meta|Shift|Alt)$/.test(pressed)) setKeys(keys, pressed)
              }}
              data-takes-keys={recording === command ? true : undefined}
              className="min-w-28 justify-center"
            >
              {recording === command ? t('shortcut.press') : formatKeys(current)}
            </Button>
          </li>
        )
      })}
    </ul>
  )
}

const levelColors = { info: 'text-muted', warning: 'text-warning', error: 'text-bad' } as const

function LogView() {
  const log = useQuery({ ...api.settings.log.queryOptions(), staleTime: 0 })
  const [filter, setFilter] = useState('')
  const save = ({ text }: { text: string }) => download('commonplace-diagnostics.json', text)
  const report = useMutation(api.settings.diagnostics.mutationOptions({ onSuccess: save }))
  if (log.error) return <ErrorState error={log.error} onRetry={() => void log.refetch()} />
  if (!log.data) return <Skeleton lines={4} />
  const filterText = filter.trim().toLowerCase()
  const lines = log.data
    .filter(({ message, details }) => `${message} ${details}`.toLowerCase().includes(filterText))
    .toReversed()
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <SearchField label={t('log.filter')} value={filter} onChange={setFilter} />
        <Button icon={RefreshCw} look="quiet" onClick={() => void log.refetch()}>
          {t('log.again')}
        </Button>
        <span className="flex-1" />
        <Button icon={Download} onClick={() => report.mutate()}>
          {t('log.report')}
        </Button>
      </div>
      <p className="text-[12px] text-muted">{t('log.reportHint')}</p>
      {lines.length === 0 ? (
        <p className="text-muted">{t('log.empty')}</p>
      ) : (
        <ul
          tabIndex={0}
          aria-label={t('log.title')}
          className="max-h-80 overflow-auto rounded-md border border-line font-mono text-[12px]"
        >
          {lines.map(({ level, time, message, details }, index) => (
            <li key={index} data-testid="log-line" className="flex gap-3 border-b border-soft px-3 py-1 last:border-0">
              <span className="shrink-0 text-muted">{formatMoment(Date.parse(time))}</span>
              <span className={`shrink-0 ${levelColors[level]}`}>{level}</span>
              <span className="min-w-0 break-words">
                {message} <span className="text-muted">{details}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** @param query if empty, the result is empty */
export function useSettingsSearch(query: string) {
  const rankOf = nameRanker(query, useChineseNames(query))
  const settingsQuery = useSettings()
  const matches = ([name = '', ...others]: readonly string[]) => query !== '' && rankOf(name, ...others) !== undefined
  return {
    ...settingsQuery,
    list: (settingsQuery.settings?.all ?? []).filter((setting) => matches(searchedTextsOf(setting))),
    panels: settingsPanels().filter(({ title, lead, id, searchTerms }) =>
      matches([title, lead, id, searchTerms, ...synonyms(id)]),
    ),
  }
}

/** Synonyms in the language of the interface and in English. */
function synonyms(id: string): string[] {
  return [i18next.t, i18next.getFixedT('en')].map((t) => settingNames(t).wordsOf(id))
}

/** Only the first text, the name, is matched by pinyin. */
function searchedTextsOf({ row, group, section }: PlacedSetting): string[] {
  const { nameOf, hintOf, valueNameOf, groupNameOf } = settingNames(i18next.t)
  return [
    nameOf(row.path),
    settingNames(i18next.getFixedT('en')).nameOf(row.path),
    row.path.join('.'),
    hintOf(row.path),
    groupNameOf(group),
    i18next.t(`settings.section.${section}`),
    ...row.options.map((option) => valueNameOf(row.path, option)),
    ...synonyms(row.path.join('.')),
  ]
}

function OutboundList() {
  const { data, error, refetch } = useQuery({ ...api.settings.outbound.queryOptions(), staleTime: 0 })
  const [purpose, setPurpose] = useState<OutboundRequest['purpose'] | ''>('')
  const [host, setHost] = useState('')
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={4} />
  const { requests, total } = data
  if (total === 0) return <EmptyState title={t('outbound.empty')} hint={t('outbound.emptyHint')} />
  const purposes = [...new Set(requests.map((request) => request.purpose))]
  const hosts = [...new Set(requests.map((request) => request.host))].sort()
  const purposeOptions = purposes.map((value) => ({ value, name: t(`outbound.purposes.${value}`) }))
  const shown = requests.filter(
    (request) => (purpose === '' || request.purpose === purpose) && (host === '' || request.host === host),
  )
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Select
          label={t('outbound.purpose')}
          value={purpose}
          options={[{ value: '', name: t('outbound.allPurposes') }, ...purposeOptions]}
          onChoose={setPurpose}
        />
        <Select
          label={t('outbound.host')}
          value={host}
          options={[{ value: '', name: t('outbound.allHosts') }, ...hosts.map((value) => ({ value, name: value }))]}
          onChoose={setHost}
          className="min-h-7 max-w-60 px-1.5"
        />
        <span className="tabular text-muted">{t('outbound.count', { count: shown.length })}</span>
      </div>
      <div tabIndex={0} className="max-h-96 overflow-auto rounded-md border border-line text-[12px]">
        <VirtualRows label={t('outbound.title')} rows={shown} keyOf={({ id }) => id} estimateHeight={() => 45}>
          {({ at, host, characters, outcome = t('outbound.unanswered'), ...request }) => (
            <div data-testid="outbound" className="border-b border-soft px-3 py-1">
              {t(`outbound.purposes.${request.purpose}`)} <span className="pl-1 font-mono break-all">{host}</span>
              <p className="tabular flex flex-wrap gap-x-3 text-muted">
                <time dateTime={at}>{formatMoment(Date.parse(at))}</time>
                <span>{t('outbound.characters', { count: characters })}</span>
                <span>{outcome}</span>
                {request.isPrivate && <span>{t('private.mark')}</span>}
              </p>
            </div>
          )}
        </VirtualRows>
      </div>
      {total > requests.length && (
        <p className="text-muted">{t('outbound.older', { count: requests.length, total })}</p>
      )}
    </>
  )
}
