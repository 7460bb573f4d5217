/** All that the app knows of itself, notes included. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Agent } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { ErrorState } from '#lib/feedback/error-state.tsx'
import { Skeleton } from '#lib/ui/states.tsx'
import { ProblemItem } from './problem.tsx'

export function HealthList({ agent }: { agent: Agent }) {
  const { t } = useTranslation()
  const problems = useQuery(api.health.problems.queryOptions({ input: { agent: agent.id } }))
  if (problems.error) return <ErrorState error={problems.error} onRetry={() => void problems.refetch()} />
  if (!problems.data) return <Skeleton lines={2} />
  if (problems.data.length === 0) return <p className="text-muted">{t('health.good')}</p>
  return (
    <ul aria-label={t('health.title')}>
      {problems.data.map((problem) => (
        <ProblemItem key={`${problem.part}/${problem.code}/${problem.path ?? ''}`} agent={agent.id} problem={problem} />
      ))}
    </ul>
  )
}
