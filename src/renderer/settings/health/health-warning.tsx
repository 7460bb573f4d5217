/** The status bar's word of what does not work: one thing with its remedy beside it, more of them as a number. */
import { Popover } from '@base-ui/react/popover'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Agent } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { meaningOf, ProblemItem, ProblemMark, RemedyButton } from './problem.tsx'

export function HealthWarning({ agent }: { agent: Agent }) {
  const { t } = useTranslation()
  const { data = [] } = useQuery(api.health.problems.queryOptions({ input: { agent: agent.id } }))
  const [isOpen, setIsOpen] = useState(false)
  const problems = data.filter(({ level }) => level !== 'note')
  const [worst] = problems
  if (!worst) return null
  const isOne = problems.length === 1
  const color = worst.level === 'bad' ? 'text-bad' : 'text-warning'
  return (
    <span className={`flex items-center gap-1 ${isOne ? 'min-w-0' : 'shrink-0'}`}>
      <Popover.Root open={isOpen} onOpenChange={setIsOpen}>
        <Popover.Trigger
          className={`flex min-w-0 items-center gap-1.5 rounded-sm px-1 hover:bg-soft ${color}`}
          data-testid="health"
        >
          <ProblemMark level={worst.level} size={12} />
          <span className="truncate">
            {isOne ? meaningOf(worst) : t('status.problems', { count: problems.length })}
          </span>
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Positioner sideOffset={8} align="start" side="top" className="z-50">
            <Popover.Popup
              aria-label={t('health.title')}
              className="max-h-[60vh] w-[min(520px,calc(100vw-24px))] overflow-y-auto rounded-md border border-line bg-raised px-4 py-1 text-[13px] shadow-float"
            >
              <ul>
                {problems.map((problem) => (
                  <ProblemItem
                    key={`${problem.part}/${problem.code}/${problem.path ?? ''}`}
                    agent={agent.id}
                    problem={problem}
                    onLeave={() => setIsOpen(false)}
                  />
                ))}
              </ul>
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
      {isOne && worst.remedy && (
        <span className="hidden lg:inline">
          <RemedyButton agent={agent.id} remedy={worst.remedy} look="link" />
        </span>
      )}
    </span>
  )
}
