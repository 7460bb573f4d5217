import { useEffect, useState, type ReactNode } from 'react'
import { t } from 'i18next'
import { describeError, ErrorActions } from './error-boundary.tsx'
import { explainError } from '../feedback/explain.ts'
import type { UseQueryResult } from '@tanstack/react-query'

export function EmptyState({ title, hint, children }: { title: string; hint?: string; children?: ReactNode }) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-6 py-16 text-center">
      <p className="text-[15px] font-medium">{title}</p>
      {hint && <p className="text-muted">{hint}</p>}
      {children && <div className="mt-3 flex flex-wrap justify-center gap-2">{children}</div>}
    </div>
  )
}

/** Placeholder lines. Hidden for the first 150 ms, so that fast responses do not flicker. */
export function Skeleton({ lines = 5 }: { lines?: number }) {
  const [isVisible, setIsVisible] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsVisible(true), 150)
    return () => clearTimeout(timer)
  }, [])
  if (!isVisible) return null
  return (
    <div aria-hidden className="flex animate-pulse flex-col gap-3 p-5">
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className="h-3 rounded bg-soft" style={{ width: `${90 - ((line * 23) % 45)}%` }} />
      ))}
    </div>
  )
}

export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <div role="alert" className="mx-auto flex max-w-lg flex-col items-center gap-2 px-6 py-16 text-center">
      <p className="text-[15px] font-medium">{t('common.errorTitle')}</p>
      <p className="mb-3 text-muted">{explainError(error)}</p>
      <ErrorActions details={describeError(error)} onRetry={onRetry} />
    </div>
  )
}

interface ErrorTextProps {
  readonly error: Error | null
  readonly explain?: (error: Error) => string
  readonly id?: string
}

/** Shows the sentence for an error; nothing without an error. */
export function ErrorText({ error, explain = explainError, id }: ErrorTextProps) {
  if (!error) return null
  return (
    <p id={id} role="alert" className="wrap-anywhere text-bad">
      {explain(error)}
    </p>
  )
}

interface QueryViewProps<T> {
  readonly query: UseQueryResult<T>
  /** Lines of the placeholder while the data is loading. */
  readonly lines?: number
  readonly children: (data: T) => ReactNode
}

/** Shows the data of a query, or its error with a retry. */
export function QueryView<T>({ query, lines = 5, children }: QueryViewProps<T>) {
  if (query.error) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  return query.data === undefined ? <Skeleton lines={lines} /> : children(query.data)
}
