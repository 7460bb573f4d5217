import { t } from 'i18next'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Agent, ConnectableProgram, MemoryClient, McpServer } from '#shared/contract/index.ts'
import { api, queryClient } from '#lib/api/client.ts'
import { showChange } from '#lib/feedback/change-toast.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { ErrorState, ErrorText, Form, Skeleton, Button, Select, Checkbox, TextInput } from '#lib/ui/elements.tsx'
import { Patch } from '#lib/diff-view/patch.tsx'
import { maxClientLimit } from '#shared/util/limits.ts'
import { formatMoment } from '#lib/i18n/format.ts'
import { useCopy } from '#lib/util/hooks.ts'
import { valueAt } from '#shared/util/json.ts'

export function ConnectPrograms() {
  const { id: agent } = useAgent()
  const programs = useQuery(api.clients.programs.queryOptions({ input: { agent: agent } }))
  if (programs.error) return <ErrorState error={programs.error} onRetry={() => void programs.refetch()} />
  if (!programs.data) return <Skeleton lines={6} />
  const rowOf = (program: ConnectableProgram) => <ProgramRow key={program.id} program={program} />
  const installed = programs.data.filter(({ isThere }) => isThere)
  const notInstalled = programs.data.filter(({ isThere }) => !isThere)
  return (
    <div className="flex flex-col gap-3">
      <InstalledCommand />
      {installed.length === 0 && <p className="text-muted">{t('programs.noneFound')}</p>}
      {installed.map(rowOf)}
      {notInstalled.length > 0 && (
        <details>
          <summary className="text-muted">{t('programs.notFound', { count: notInstalled.length })}</summary>
          <div className="flex flex-col gap-3 pt-3">{notInstalled.map(rowOf)}</div>
        </details>
      )}
    </div>
  )
}

function InstalledCommand() {
  const command = useQuery(api.clients.command.queryOptions())
  const onSettled = () => void queryClient.invalidateQueries({ queryKey: api.clients.command.key() })
  const install = useMutation(api.clients.installCommand.mutationOptions({ onSettled }))
  const { creates = null, needsPath = false } = command.data ?? {}
  if (command.data === null) return null
  return (
    <section aria-label={t('programs.command')} className="flex flex-wrap items-center gap-2.5 px-4">
      <h3 className="font-semibold">{t('programs.command')}</h3>
      {command.data && (
        <span className="min-w-24 flex-1 text-[12px] break-words text-muted">
          {creates === null ? t('programs.commandThere') : t('programs.commandCreates', { path: creates })}
          {needsPath && ` · ${t('programs.commandPath')}`}
        </span>
      )}
      {creates !== null && (
        <Button disabled={install.isPending} onClick={() => install.mutate({})}>
          {t('programs.installCommand')}
        </Button>
      )}
      <ErrorText error={command.error} />
    </section>
  )
}

const stateColors = { none: 'bg-faint', connected: 'bg-good', other: 'bg-warning', broken: 'bg-warning' } as const

function ProgramRow({ program }: { program: ConnectableProgram }) {
  const { id: agent } = useAgent()
  const { id, name, file, state, patch, link, problem } = program
  const [isPatchShown, setIsPatchShown] = useState(false)
  const onSettled = () => void queryClient.invalidateQueries({ queryKey: api.clients.programs.key() })
  const test = useMutation(api.clients.test.mutationOptions({ meta: { handlesError: true } }))
  const connect = useMutation(
    api.clients.connect.mutationOptions({
      onSettled,
      onSuccess: () => {
        setIsPatchShown(false)
        test.mutate({ program: id, agent })
      },
    }),
  )
  const disconnect = useMutation(api.clients.disconnect.mutationOptions({ onSettled, onSuccess: () => test.reset() }))
  return (
    <section aria-label={name} className="flex flex-col gap-2.5 rounded-md border border-line px-4 py-3">
      <header className="flex flex-wrap items-center gap-2.5">
        <span aria-hidden className={`size-2 shrink-0 rounded-full ${stateColors[state]}`} />
        <h3 className="font-semibold">{name}</h3>
        <span className="min-w-24 flex-1 text-[12px] text-muted">{t(`programs.state_${state}`)}</span>
        {state === 'connected' && (
          <>
            <Button disabled={test.isPending} onClick={() => test.mutate({ program: id, agent })}>
              {t('programs.test')}
            </Button>
            <Button disabled={disconnect.isPending} onClick={() => disconnect.mutate({ program: id })}>
              {t('programs.disconnect')}
            </Button>
          </>
        )}
        {state !== 'connected' && problem === null && !isPatchShown && (
          <Button onClick={() => setIsPatchShown(true)}>
            {t(state === 'broken' ? 'programs.repair' : 'programs.connect')}
          </Button>
        )}
      </header>
      {problem !== null && <p className="break-words text-warning">{problem}</p>}
      {isPatchShown && state !== 'connected' && (
        <>
          <p className="text-[12px] text-muted">
            {t('programs.willWrite')} <span className="font-mono break-all">{file}</span>
          </p>
          <div className="rounded-sm border border-line">
            <Patch patch={patch} isSmall />
          </div>
          <div className="flex flex-wrap items-center gap-2">
            <Button look="primary" disabled={connect.isPending} onClick={() => connect.mutate({ program: id, agent })}>
              {t('programs.write')}
            </Button>
            <Button onClick={() => setIsPatchShown(false)}>{t('common.cancel')}</Button>
            {link !== undefined && (
              <a href={link} className="text-accent hover:underline">
                {t('programs.openIn', { name })}
              </a>
            )}
          </div>
        </>
      )}
      {test.isPending && <p className="text-[12px] text-muted">{t('programs.testing')}</p>}
      {test.data && <p className="text-[12px] text-good">{t('programs.works', { count: test.data.tools, name })}</p>}
      <ErrorText error={test.error} />
    </section>
  )
}

export function KnownPrograms() {
  const agent = useAgent()
  const clients = useQuery(api.clients.list.queryOptions())
  const agents = useQuery(api.agents.list.queryOptions())
  const cleanMarks = useMutation(
    api.clients.cleanMarks.mutationOptions({
      onSuccess: ({ change, notes }) => showChange(t('programs.marksCleaned', { count: notes }), agent.id, change),
    }),
  )
  if (clients.error) return <ErrorState error={clients.error} onRetry={() => void clients.refetch()} />
  if (!clients.data) return <Skeleton lines={3} />
  return (
    <div className="flex flex-col gap-4">
      {clients.data.length === 0 && <p className="text-muted">{t('programs.noneKnown')}</p>}
      {clients.data.map((client) => (
        <ClientRow key={client.id} client={client} agents={agents.data ?? [agent]} />
      ))}
      <Button
        look="quiet"
        className="self-start"
        title={t('programs.cleanMarksTitle')}
        disabled={cleanMarks.isPending}
        onClick={() => cleanMarks.mutate({ agent: agent.id })}
      >
        {t('programs.cleanMarks')}
      </Button>
      <NewToken />
    </div>
  )
}

const limitNames = ['notesPerDay', 'charactersPerDay', 'callsPerMinute', 'callsAtOnce'] as const
const permissions = ['write', 'ask', 'read'] as const

function ClientRow({ client, agents }: { client: MemoryClient; agents: readonly Agent[] }) {
  const { id, name, agent, permission, usedAt, writes, hasToken, hasFullAccess, limits, today } = client
  const update = useMutation(api.clients.update.mutationOptions())
  const remove = useMutation(api.clients.remove.mutationOptions())
  const saveLimits = (form: HTMLFormElement) => {
    const fields = new FormData(form)
    const entered = Object.fromEntries(limitNames.map((limit) => [limit, Number(fields.get(limit))]))
    update.mutate({ client: id, limits: { ...limits, ...entered } })
  }
  return (
    <section aria-label={name} className="flex flex-wrap items-center gap-3">
      <span className="min-w-40 flex-1">
        <span className="font-medium">{name}</span>
        <span className="block text-[12px] text-muted">
          {[
            usedAt === null ? t('programs.neverUsed') : t('programs.usedAt', { when: formatMoment(usedAt) }),
            t('programs.writes', { count: writes }),
            ...(hasToken ? [t('programs.hasToken')] : []),
          ].join(' · ')}
        </span>
      </span>
      {agents.length > 1 && (
        <Select
          label={t('programs.whose')}
          value={agent}
          options={agents.map((choice) => ({ value: choice.id, name: choice.name }))}
          onChoose={(chosen) => update.mutate({ client: id, agent: chosen })}
        />
      )}
      <Select
        label={t('programs.may')}
        value={permission}
        options={permissions.map((value) => ({ value, name: t(`programs.may_${value}`) }))}
        onChoose={(chosen) => update.mutate({ client: id, permission: chosen })}
      />
      <Checkbox
        title={t('private.clientTitle')}
        checked={hasFullAccess}
        onChange={() => update.mutate({ client: id, hasFullAccess: !hasFullAccess })}
      >
        {t('private.client')}
      </Checkbox>
      <Button look="quiet" onClick={() => remove.mutate({ client: id })}>
        {t(hasToken ? 'programs.revoke' : 'programs.forget')}
      </Button>
      <details className="basis-full text-[12px]">
        <summary className="tabular text-muted">{t('programs.today', { ...today, ...limits })}</summary>
        <Form onSubmit={saveLimits} className="flex flex-wrap items-end gap-3 pt-2">
          {limitNames.map((limit) => (
            <label key={limit} className="flex flex-col gap-1">
              {t(`programs.${limit}`)}
              <input
                type="number"
                required
                name={limit}
                defaultValue={limits[limit]}
                min={1}
                max={maxClientLimit}
                className="tabular w-28 rounded-sm border border-line bg-raised px-2.5 py-1 outline-none focus:border-accent invalid:border-bad"
              />
            </label>
          ))}
          <Button type="submit">{t('file.save')}</Button>
        </Form>
      </details>
    </section>
  )
}

function idOf(name: string): string {
  const id = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[^a-z0-9]+|-+$/g, '')
  return (id === '' ? 'program' : id).slice(0, 64)
}

function NewToken() {
  const { id: agent } = useAgent()
  const [name, setName] = useState('')
  const { isCopied, copy } = useCopy()
  const issue = useMutation(api.clients.issueToken.mutationOptions())
  // The address of the MCP endpoint is on this page's origin, or on the port set for the desktop, if any.
  const isPage = location.protocol.startsWith('http')
  const source = useQuery(api.settings.source.queryOptions({ enabled: !isPage }))
  const port = valueAt(source.data?.inForce, ['desktop', 'mcpPort'])
  const origin = isPage ? location.origin : typeof port === 'number' ? `http://127.0.0.1:${port}` : undefined
  const submit = () => name.trim() !== '' && issue.mutate({ client: idOf(name), name: name.trim(), agent })
  const header = `Authorization: Bearer ${issue.data?.token ?? ''}`
  return (
    <Form onSubmit={submit} className="flex flex-col gap-2 border-t border-line pt-4">
      <label className="flex flex-wrap items-center gap-2">
        {t('programs.newToken')}
        <TextInput
          value={name}
          placeholder={t('programs.nameOfProgram')}
          onChange={setName}
          className="min-w-40 flex-1 px-2.5 py-1.5"
        />
        <Button type="submit" disabled={name.trim() === '' || issue.isPending}>
          {t('programs.makeToken')}
        </Button>
      </label>
      {issue.data && (
        <div className="flex flex-col gap-2 rounded-sm bg-side p-3" role="status">
          <p>{t('programs.tokenOnce')}</p>
          {origin === undefined && <p>{t('programs.noPort', { setting: t('setting.desktop_mcpPort') })}</p>}
          <pre className="overflow-x-auto font-mono text-[12px]" tabIndex={0}>
            {`${origin === undefined ? '' : `${origin}/mcp`}\n${header}`.trim()}
          </pre>
          <Button className="self-start" onClick={() => copy(header)}>
            {t(isCopied ? 'chat.copied' : 'programs.copy')}
          </Button>
        </div>
      )}
    </Form>
  )
}

const sample = `mcp:
  servers:
    files: { command: npx, args: [-y, "@modelcontextprotocol/server-filesystem", ~/Documents] }
    search: { url: "http://localhost:8000/mcp", headers: { Authorization: "Bearer \${SEARCH_TOKEN}" } }`

export function ToolServers() {
  const servers = useQuery(api.settings.mcpServers.queryOptions())
  if (!servers.data) return null
  if (servers.data.length === 0)
    return (
      <div className="flex flex-col gap-2">
        <p>{t('settings.noServers')}</p>
        <pre tabIndex={0} className="overflow-x-auto rounded-sm border border-line bg-side p-3 font-mono text-[12px]">
          {sample}
        </pre>
      </div>
    )
  return servers.data.map((server) => <Server key={server.name} server={server} />)
}

const serverColors = {
  ready: 'bg-good',
  starting: 'bg-warning',
  failed: 'bg-bad',
  stopped: 'bg-faint',
  disabled: 'bg-faint',
} as const

function Server({ server }: { server: McpServer }) {
  const { name, state, problem, local, tools, log } = server
  const set = useMutation(api.settings.set.mutationOptions())
  const start = useMutation(api.settings.startMcpServer.mutationOptions())
  return (
    <section aria-label={name} className="flex flex-col gap-3 rounded-md border border-line px-4 py-3.5">
      <header className="flex items-center gap-2.5">
        <span aria-hidden className={`size-2 rounded-full ${serverColors[state]}`} />
        <h3 className="font-semibold">{name}</h3>
        <span className="flex-1 text-[12px] text-muted">{t(`settings.state.${state}`)}</span>
        {(state === 'stopped' || state === 'failed') && (
          <Button disabled={start.isPending} onClick={() => start.mutate({ name })}>
            {t('settings.start')}
          </Button>
        )}
      </header>
      {state === 'failed' && problem !== null && (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      )}
      {local !== null && (
        <Checkbox
          checked={local}
          disabled={set.isPending}
          onChange={() => set.mutate({ path: ['mcp', 'servers', name, 'local'], value: !local })}
        >
          {t('settings.localServer')}
          <span className="block text-[12px] text-muted">{t('settings.localServerHint')}</span>
        </Checkbox>
      )}
      {tools.map((tool) => (
        <ToolRow key={tool.name} server={name} tool={tool} />
      ))}
      {log.length > 0 && (
        <details>
          <summary className="text-muted">{t('log.title')}</summary>
          <pre className="mt-2 max-h-60 overflow-auto rounded-sm bg-side p-2 font-mono text-[12px] whitespace-pre-wrap">
            {log.join('\n')}
          </pre>
        </details>
      )}
    </section>
  )
}

const toolPermissions = ['ask', 'always', 'never'] as const

function ToolRow({ server, tool }: { server: string; tool: McpServer['tools'][number] }) {
  const { name, description, permission } = tool
  const allow = useMutation(api.settings.setMcpPermission.mutationOptions())
  return (
    <label className="flex items-center gap-3">
      <span className="min-w-0 flex-1">
        <span className="font-mono text-[12px]">{name}</span>
        <span className="block truncate text-[12px] text-muted">{description}</span>
      </span>
      <Select
        value={permission}
        options={toolPermissions.map((value) => ({ value, name: t(`settings.permission.${value}`) }))}
        onChoose={(chosen) => allow.mutate({ server, tool: name, permission: chosen })}
      />
    </label>
  )
}
