import { t } from 'i18next'
import { Menu } from '@base-ui/react/menu'
import { useQuery } from '@tanstack/react-query'
import { Check, ChevronsUpDown } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { Agent } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { ActionItem, ActionSeparator } from '#lib/ui/button.tsx'
import { paths } from '#lib/router/paths.ts'
import { chooseAgent } from '#lib/agents/current-agent.ts'
import { NewAgentDialog } from './agent-dialogs.tsx'

export function AgentSwitcher({ agent }: { agent: Agent }) {
  const [, navigate] = useLocation()
  const agents = useQuery(api.agents.list.queryOptions())
  const [isCreating, setIsCreating] = useState(false)
  const switchTo = useSwitchAgent(agent)
  return (
    <>
      <Menu.Root>
        <Menu.Trigger
          aria-label={t('agents.current', { name: agent.name })}
          title={agent.workspace}
          className="-my-1 -ml-1.5 flex min-h-8 min-w-0 flex-1 items-center gap-2.5 rounded-sm px-1.5 text-left hover:bg-soft"
        >
          <Dot color={agent.color} />
          <span className="min-w-0 flex-1 truncate text-[14px] font-semibold">{agent.name}</span>
          <ChevronsUpDown size={13} aria-hidden className="text-muted" />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner sideOffset={4} align="start" className="z-50">
            <Menu.Popup className="min-w-56 rounded-md border border-line bg-raised p-1 shadow-float">
              {(agents.data ?? [])
                .filter(({ archived }) => !archived)
                .map((other) => (
                  <Menu.Item
                    key={other.id}
                    onClick={() => switchTo(other.id)}
                    className="flex min-h-8 items-center gap-2.5 rounded-sm px-2 data-[highlighted]:bg-soft"
                  >
                    <Dot color={other.color} />
                    <span className="min-w-0 flex-1 truncate">{other.name}</span>
                    {other.id === agent.id && <Check size={13} aria-label={t('agents.shown')} />}
                  </Menu.Item>
                ))}
              <ActionSeparator />
              <ActionItem onClick={() => setIsCreating(true)}>{t('agents.new')}</ActionItem>
              <ActionItem onClick={() => navigate(paths.settings('agents'))}>{t('agents.manage')}</ActionItem>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {isCreating && <NewAgentDialog onCreated={switchTo} onClose={() => setIsCreating(false)} />}
    </>
  )
}

/** Returns a function that switches to an agent and opens its last address. */
export function useSwitchAgent(agent: Agent): (id: string) => void {
  const [, navigate] = useLocation()
  return (id) => {
    if (id === agent.id) return
    const { pathname, search, hash } = location
    navigate(chooseAgent(id, { id: agent.id, place: pathname + search + hash }))
  }
}

export function Dot({ color }: { color: string }) {
  return <span aria-hidden className="size-2.5 shrink-0 rounded-full" style={{ background: color }} />
}
