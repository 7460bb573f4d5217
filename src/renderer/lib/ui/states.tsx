import { useEffect, useState, Component, type ReactNode, type ErrorInfo } from 'react'
import { t } from 'i18next'
import { explainError } from '../feedback/explain.ts'
import type { UseQueryResult } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { Button } from './controls.tsx'
import { useCopy } from '../util/hooks.ts'

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

type BoundaryName = 'editor' | 'message' | 'part' | 'preview' | 'row' | 'text' | 'tool' | 'view' | 'window'

interface ErrorBoundaryProps {
  /** What the children show; selects the message. */
  readonly piece: BoundaryName
  /** `row`: one line. `view`: centered in the available space. */
  readonly variant?: 'row' | 'view'
  /** When it changes after an error, the children are rendered again. */
  readonly resetKey?: unknown
  readonly children: ReactNode
}

interface ErrorBoundaryState {
  readonly failure: { readonly error: unknown; readonly componentStack: string } | undefined
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { failure: undefined }

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { failure: { error, componentStack: '' } }
  }

  override componentDidCatch(error: unknown, { componentStack }: ErrorInfo): void {
    this.setState({ failure: { error, componentStack: componentStack ?? '' } })
  }

  override componentDidUpdate(previous: ErrorBoundaryProps): void {
    if (this.state.failure && previous.resetKey !== this.props.resetKey) this.#retry()
  }

  override render(): ReactNode {
    const { failure } = this.state
    if (!failure) return this.props.children
    const { piece, variant = 'row' } = this.props
    const details = `${describeError(failure.error)}\n${failure.componentStack}`.trim()
    const Fallback = variant === 'row' ? BrokenRow : BrokenView
    return <Fallback piece={piece} details={details} onRetry={this.#retry} />
  }

  #retry = (): void => this.setState({ failure: undefined })
}

interface BrokenProps {
  readonly piece: BoundaryName
  readonly details: string
  readonly onRetry: () => void
}

function BrokenRow({ piece, ...actions }: BrokenProps) {
  return (
    <div
      role="alert"
      data-testid="broken"
      className="flex min-w-0 flex-wrap items-center gap-x-3 rounded-sm border border-line bg-side px-3 py-1 text-[13px] text-muted"
    >
      <TriangleAlert size={13} aria-hidden className="shrink-0 text-warning" />
      <span className="min-w-0 flex-1 basis-40 py-0.5 text-text">{t(`broken.${piece}`)}</span>
      <ErrorActions {...actions} look="link" />
    </div>
  )
}

function BrokenView({ piece, ...actions }: BrokenProps) {
  return (
    <div
      role="alert"
      data-testid="broken"
      className="flex h-full min-w-0 flex-1 flex-col items-center justify-center overflow-y-auto px-6 py-10 text-center"
    >
      <TriangleAlert size={20} aria-hidden className="mb-3 text-warning" />
      <p className="text-[15px] font-medium">{t(`broken.${piece}`)}</p>
      <p className="mt-1 mb-4 max-w-md text-muted">{t('broken.safe')}</p>
      <ErrorActions {...actions} />
      <pre className="mt-6 max-h-40 max-w-full overflow-auto rounded-sm border border-line bg-side px-3 py-2 text-left font-mono text-[11px] whitespace-pre-wrap text-muted">
        {actions.details.split('\n', 1)[0]?.slice(0, 500)}
      </pre>
    </div>
  )
}

interface ErrorActionsProps {
  readonly details: string
  readonly onRetry?: (() => void) | undefined
  /** `link`: inline, after a sentence. */
  readonly look?: 'link' | 'plain'
}

function ErrorActions({ details, onRetry, look = 'plain' }: ErrorActionsProps) {
  const { isCopied, copy } = useCopy()
  return (
    <span className={`flex ${look === 'link' ? 'gap-3' : 'gap-2'}`}>
      {onRetry && (
        <Button look={look} onClick={onRetry}>
          {t('common.retry')}
        </Button>
      )}
      <Button look={look === 'link' ? 'link' : 'quiet'} onClick={() => copy(details)}>
        {t(isCopied ? 'chat.copied' : 'common.copyDetails')}
      </Button>
    </span>
  )
}

/** Returns the stack or message for a bug report. Accepts anything that can be thrown. */
export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error)
}
