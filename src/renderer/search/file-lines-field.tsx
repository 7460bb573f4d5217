import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { api } from '#lib/api/client.ts'

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
