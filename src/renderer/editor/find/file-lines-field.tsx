import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { api } from '#lib/api/client.ts'

interface FileLinesFieldProps {
  readonly agent: string
  readonly value: string
  readonly label?: string
  readonly sample: string
  readonly className: string
  readonly isFirst?: boolean
  readonly onChange: (value: string) => void
}

export function FileLinesField({
  agent,
  value,
  label,
  sample,
  className,
  isFirst = false,
  onChange,
}: FileLinesFieldProps) {
  const files = useQuery(api.workspace.list.queryOptions({ input: { agent } }))
  const list = useId()
  return (
    <>
      <input
        autoFocus={isFirst}
        value={value}
        list={list}
        spellCheck={false}
        aria-label={label}
        placeholder={sample}
        onChange={(event) => onChange(event.target.value)}
        className={`min-h-7 min-w-0 rounded-sm border border-line bg-raised px-2 font-mono text-[12px] outline-none focus:border-accent ${className}`}
      />
      <datalist id={list}>
        {(files.data ?? []).map(({ path }) => (
          <option key={path} value={`${path}:1`} />
        ))}
      </datalist>
    </>
  )
}
