import { t } from 'i18next'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { toast } from 'sonner'
import { useLocation } from 'wouter'
import type { CheckedQuestion } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { Button } from '#lib/ui/elements.tsx'
import { paths } from '#lib/router/paths.ts'
import { useId } from 'react'

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

interface FileLinesFieldProps {
  readonly agent: string
  readonly value: string
  readonly label?: string
  readonly sample: string
  readonly className: string
  /** The first field of a form gets the focus. */
  readonly isFirst?: boolean
  readonly onChange: (value: string) => void
}

export function FileLinesField(props: FileLinesFieldProps) {
  const { agent, value, label, sample, className, isFirst = false, onChange } = props
  const files = useQuery(api.workspace.list.queryOptions({ input: { agent } }))
  const listId = useId()
  return (
    <>
      <input
        autoFocus={isFirst}
        value={value}
        list={listId}
        spellCheck={false}
        aria-label={label}
        placeholder={sample}
        onChange={(event) => onChange(event.target.value)}
        className={`min-h-7 min-w-0 rounded-sm border border-line bg-raised px-2 font-mono text-[12px] outline-none focus:border-accent ${className}`}
      />
      <datalist id={listId}>
        {(files.data ?? []).map(({ path }) => (
          <option key={path} value={`${path}:1`} />
        ))}
      </datalist>
    </>
  )
}
