import { t } from 'i18next'
import { useMutation } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { toast } from 'sonner'
import { useLocation } from 'wouter'
import type { CheckedQuestion } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { Button } from '#lib/ui/button.tsx'
import { paths } from '#lib/router/paths.ts'

interface AddCheckProps {
  readonly agent: string
  readonly query: string
  readonly lines: CheckedQuestion['relevant'][number]
}

export function AddCheck({ agent, query, lines: { path, startLine, endLine } }: AddCheckProps) {
  const [, navigate] = useLocation()
  const add = useMutation(
    api.checks.add.mutationOptions({
      onSuccess: () =>
        toast.success(t('checks.added'), {
          action: { label: t('checks.show'), onClick: () => navigate(paths.checks()) },
        }),
    }),
  )
  const question = { query, relevant: [{ path, startLine, endLine }] }
  return (
    <Button icon={Check} onClick={() => add.mutate({ agent, question })} disabled={query.trim() === ''}>
      {t('checks.add')}
    </Button>
  )
}
