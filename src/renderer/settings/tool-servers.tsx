import { t } from 'i18next'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { McpServer } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { Button } from '#lib/ui/button.tsx'
import { Select, Checkbox } from '#lib/ui/choice.tsx'

const sample = `mcp:
  servers:
    files: { command: npx, args: [-y, "@modelcontextprotocol/server-filesystem", ~/Documents] }
    search: { url: "http://localhost:8000/mcp", headers: { Authorization: "Bearer \${SEARCH_TOKEN}" } }`

export function ToolServers() {
  const servers = useQuery(api.settings.mcpServers.queryOptions())
  if (!servers.data) return null
  if (servers.data.length === 0) {
    return (
      <div className="flex flex-col gap-2">
        <p>{t('settings.noServers')}</p>
        <pre tabIndex={0} className="overflow-x-auto rounded-sm border border-line bg-side p-3 font-mono text-[12px]">
          {sample}
        </pre>
      </div>
    )
  }
  return servers.data.map((server) => <Server key={server.name} server={server} />)
}

const stateColors = {
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
        <span aria-hidden className={`size-2 rounded-full ${stateColors[state]}`} />
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

const permissions = ['ask', 'always', 'never'] as const

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
        options={permissions.map((value) => ({ value, name: t(`settings.permission.${value}`) }))}
        onChoose={(chosen) => allow.mutate({ server, tool: name, permission: chosen })}
      />
    </label>
  )
}
