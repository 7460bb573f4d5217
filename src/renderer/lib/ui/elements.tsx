import { t } from 'i18next'
import { Check, ChevronRight, Copy, MoreHorizontal, TriangleAlert, type LucideIcon } from 'lucide-react'
import { useState, useEffect, Component, type ComponentProps, type ReactNode, type FormEvent } from 'react'
import { Link } from 'wouter'
import { useCopy } from '../util/hooks.ts'
import { Menu } from '@base-ui/react/menu'
import { describeError, explainError } from '../feedback/toast.ts'
import type { UseQueryResult } from '@tanstack/react-query'

const looks = {
  primary: 'bg-accent text-on-accent hover:brightness-110 font-medium',
  plain: 'border border-line bg-raised hover:bg-soft',
  quiet: 'text-muted hover:bg-soft hover:text-text aria-pressed:bg-selected aria-pressed:text-text',
  link: 'text-accent hover:underline px-0 py-0 h-auto min-h-6',
} as const

interface ButtonProps extends ComponentProps<'button'> {
  readonly look?: keyof typeof looks
  readonly icon?: LucideIcon
}

export function Button({ look = 'plain', icon: Icon, className = '', children, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      className={`inline-flex min-h-7 items-center gap-1.5 rounded-sm px-2.5 py-1 transition-colors duration-150 disabled:opacity-50 ${looks[look]} ${className}`}
      {...props}
    >
      {Icon && <Icon size={14} aria-hidden />}
      {children}
    </button>
  )
}

export function MoreButton(props: Omit<ComponentProps<typeof Button>, 'children'>) {
  return (
    <Button look="link" {...props}>
      {t('history.more')}
    </Button>
  )
}

interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  readonly label: string
  readonly icon: LucideIcon
  /** Size of the icon, px. */
  readonly size?: number
}

export function IconButton({ label, icon: Icon, size = 14, className = '', ...props }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`inline-flex size-7 shrink-0 items-center justify-center rounded-sm text-muted transition-colors duration-150 hover:bg-soft hover:text-text disabled:opacity-40 aria-pressed:bg-selected aria-pressed:text-text ${className}`}
      {...props}
    >
      <Icon size={size} />
    </button>
  )
}

export function Chevron({ isOpen, size = 12, className = '' }: { isOpen: boolean; size?: number; className?: string }) {
  const look = `shrink-0 transition-transform ${isOpen ? 'rotate-90' : ''}`
  return <ChevronRight size={size} aria-hidden className={`${look} ${className}`} />
}

export function CopyButton({ text, label }: { text: string; label: string }) {
  const { isCopied, copy } = useCopy()
  return (
    <IconButton icon={isCopied ? Check : Copy} label={isCopied ? t('chat.copied') : label} onClick={() => copy(text)} />
  )
}

export function TextLink({ className = '', ...props }: ComponentProps<'a'> & { href: string }) {
  return <Link className={`text-accent hover:underline ${className}`} {...props} />
}

interface ActionMenuProps {
  readonly align?: 'start' | 'end'
  readonly trigger: ComponentProps<typeof Menu.Trigger>['render']
  readonly children: ReactNode
}

export function ActionMenu({ align = 'end', trigger, children }: ActionMenuProps) {
  return (
    <Menu.Root>
      <Menu.Trigger render={trigger} />
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align={align} className="z-50">
          <Menu.Popup className="min-w-48 rounded-md border border-line bg-raised p-1 text-[13px] shadow-float">
            {children}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

export function DotsMenu({ label, children }: { label: string; children: ReactNode }) {
  return <ActionMenu trigger={<IconButton icon={MoreHorizontal} label={label} />}>{children}</ActionMenu>
}

export function ActionItem(props: { onClick: () => void; children: ReactNode }) {
  const look = 'flex min-h-7 items-center gap-2.5 rounded-sm px-2 data-[highlighted]:bg-soft'
  return <Menu.Item className={look} {...props} />
}

export function ActionSeparator() {
  return <Menu.Separator className="my-1 border-t border-line" />
}

interface ChoiceProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly options: readonly { readonly value: T; readonly name: string }[]
  readonly onChoose: (value: T) => void
}

export function Choice<T extends string>({ label, value, options, onChoose }: ChoiceProps<T>) {
  return (
    <div role="radiogroup" aria-label={label} className="flex max-w-full flex-wrap gap-0.5 rounded-sm bg-soft p-0.5">
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          role="radio"
          aria-checked={option.value === value}
          onClick={() => onChoose(option.value)}
          className="min-h-6 shrink-0 rounded-[5px] px-2 text-[12px] whitespace-nowrap text-muted aria-checked:bg-raised aria-checked:text-text"
        >
          {option.name}
        </button>
      ))}
    </div>
  )
}

interface SelectProps<T extends string> extends Omit<ChoiceProps<T>, 'label'> {
  readonly label?: string
  readonly className?: string
}

export function Select<T extends string>({
  label,
  value,
  options,
  onChoose,
  className = 'min-h-7 px-1.5',
}: SelectProps<T>) {
  return (
    <select
      aria-label={label}
      value={value}
      // The element has only the values of its options.
      onChange={(event) => onChoose(event.target.value as T)}
      className={`rounded-sm border border-line bg-raised ${className}`}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.name}
        </option>
      ))}
    </select>
  )
}

interface InputProps<T> extends Omit<ComponentProps<'input'>, 'onChange'> {
  readonly onChange: (value: T) => void
}

interface SliderProps extends InputProps<number> {
  readonly label: string
  readonly shown: string
}

export function Slider({ label, shown, onChange, ...input }: SliderProps) {
  return (
    <label className="flex flex-col gap-1">
      <span className="flex justify-between gap-2">
        {label}
        <span className="tabular text-right text-muted">{shown}</span>
      </span>
      <input
        type="range"
        aria-label={label}
        aria-valuetext={shown}
        {...input}
        onChange={(event) => onChange(event.target.valueAsNumber)}
        className="accent-accent"
      />
    </label>
  )
}

export function Checkbox({ title, onChange, children, ...input }: InputProps<boolean>) {
  return (
    <label title={title} className="flex items-baseline gap-2">
      <input
        type="checkbox"
        {...input}
        onChange={(event) => onChange(event.target.checked)}
        className="shrink-0 translate-y-0.5 accent-accent"
      />
      <span className="min-w-0 break-words">{children}</span>
    </label>
  )
}

export function TextInput({ onChange, className = '', ...input }: InputProps<string>) {
  return (
    <input
      onChange={(event) => onChange(event.target.value)}
      className={`rounded-sm border border-line bg-raised outline-none focus:border-accent aria-invalid:border-bad ${className}`}
      {...input}
    />
  )
}

interface SearchFieldProps extends InputProps<string> {
  readonly label: string
  readonly value: string
}

const fieldLook = 'min-h-7 w-56 min-w-0 border-line bg-raised'

export function SearchField({ label, value, onChange, className = fieldLook, ...input }: SearchFieldProps) {
  return (
    <input
      type="search"
      {...useTextField(value, onChange)}
      aria-label={label}
      placeholder={label}
      className={`rounded-sm border px-2 outline-none focus:border-accent ${className}`}
      {...input}
    />
  )
}

/** A borderless filter field for the sidebar. Escape clears it. */
export function FilterField({ className = '', ...field }: SearchFieldProps) {
  return (
    <SearchField
      {...field}
      onKeyDown={(event) => event.key === 'Escape' && field.onChange('')}
      className={`h-7 border-transparent bg-soft placeholder:text-muted focus:bg-raised [&::-webkit-search-cancel-button]:hidden ${className}`}
    />
  )
}

interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  readonly onSubmit: (form: HTMLFormElement) => void
}

export function Form({ onSubmit, ...form }: FormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onSubmit(event.currentTarget)
  }
  return <form onSubmit={submit} {...form} />
}

interface ProgressProps {
  readonly label: string
  readonly done: number
  readonly total: number
  readonly className: string
}

/** Moves without a value while the total is 0. */
export function Progress({ label, done, total, className }: ProgressProps) {
  const value = total === 0 ? undefined : done
  return <progress aria-label={label} value={value} max={Math.max(1, total)} className={className} />
}

/** Keeps keys that an input method uses (Enter, Escape, arrows) from all handlers but the editor's own. */
export function ignoreComposedKeys(): void {
  const ignore = (event: KeyboardEvent) => {
    const isInEditor = event.target instanceof Element && event.target.closest('.monaco-editor') !== null
    // Safari reports key code 229 for the last key, after the composition.
    if ((!event.isComposing && event.keyCode !== 229) || isInEditor) return
    event.stopImmediatePropagation()
    // The browser clears search fields at Escape.
    if (event.key === 'Escape') event.preventDefault()
  }
  addEventListener('keydown', ignore, { capture: true })
}

/**
 * Returns properties of a text field that calls `onChange` only with complete text, not with the letters that an input
 * method composes. Hangul is complete at each key.
 */
export function useTextField(value: string, onChange: (value: string) => void) {
  const [composed, setComposed] = useState<string>()
  const accept = (text: string) => {
    setComposed(undefined)
    onChange(text)
  }
  return {
    value: composed ?? value,
    onChange: ({ currentTarget: field, nativeEvent }: FormEvent<HTMLInputElement>) => {
      const event = nativeEvent as InputEvent
      if (event.isComposing && !/\p{Script=Hangul}$/u.test(event.data ?? '')) setComposed(field.value)
      else accept(field.value)
    },
    onCompositionEnd: ({ currentTarget: field }: FormEvent<HTMLInputElement>) => accept(field.value),
  }
}

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
  readonly lines?: number
  readonly children: (data: T) => ReactNode
}

export function QueryView<T>({ query, lines = 5, children }: QueryViewProps<T>) {
  if (query.error) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  return query.data === undefined ? <Skeleton lines={lines} /> : children(query.data)
}

interface ErrorBoundaryProps {
  /** The part of the page that failed; selects the message. */
  readonly piece: 'editor' | 'message' | 'part' | 'preview' | 'row' | 'text' | 'tool' | 'view' | 'window'
  /** `row`: one line. `view`: centered in the available space. */
  readonly variant?: 'row' | 'view'
  /** When it changes after an error, the children are rendered again. */
  readonly resetKey?: unknown
  readonly children: ReactNode
}

type Failure = { readonly error: unknown } | undefined

export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly failure: Failure }> {
  override state = { failure: undefined as Failure }

  static getDerivedStateFromError = (error: unknown) => ({ failure: { error } })

  override componentDidUpdate(previous: ErrorBoundaryProps): void {
    if (this.state.failure && previous.resetKey !== this.props.resetKey) this.#retry()
  }

  override render(): ReactNode {
    const { failure } = this.state
    const { piece, variant = 'row', children } = this.props
    if (!failure) return children
    const details = describeError(failure.error)
    if (variant === 'row')
      return (
        <div
          role="alert"
          data-testid="broken"
          className="flex min-w-0 flex-wrap items-center gap-x-3 rounded-sm border border-line bg-side px-3 py-1 text-[13px] text-muted"
        >
          <TriangleAlert size={13} aria-hidden className="shrink-0 text-warning" />
          <span className="min-w-0 flex-1 basis-40 py-0.5 text-text">{t(`broken.${piece}`)}</span>
          <ErrorActions details={details} onRetry={this.#retry} isInline />
        </div>
      )
    return (
      <div
        role="alert"
        data-testid="broken"
        className="flex h-full min-w-0 flex-1 flex-col items-center justify-center overflow-y-auto px-6 py-10 text-center"
      >
        <TriangleAlert size={20} aria-hidden className="mb-3 text-warning" />
        <p className="text-[15px] font-medium">{t(`broken.${piece}`)}</p>
        <p className="mt-1 mb-4 max-w-md text-muted">{t('broken.safe')}</p>
        <ErrorActions details={details} onRetry={this.#retry} />
        <pre className="mt-6 max-h-40 max-w-full overflow-auto rounded-sm border border-line bg-side px-3 py-2 text-left font-mono text-[11px] whitespace-pre-wrap text-muted">
          {details.split('\n', 1)[0]?.slice(0, 500)}
        </pre>
      </div>
    )
  }

  #retry = (): void => this.setState({ failure: undefined })
}

interface ErrorActionsProps {
  readonly details: string
  readonly onRetry?: (() => void) | undefined
  readonly isInline?: boolean
}

function ErrorActions({ details, onRetry, isInline = false }: ErrorActionsProps) {
  const { isCopied, copy } = useCopy()
  return (
    <span className={`flex ${isInline ? 'gap-3' : 'gap-2'}`}>
      {onRetry && (
        <Button look={isInline ? 'link' : 'plain'} onClick={onRetry}>
          {t('common.retry')}
        </Button>
      )}
      <Button look={isInline ? 'link' : 'quiet'} onClick={() => copy(details)}>
        {t(isCopied ? 'chat.copied' : 'common.copyDetails')}
      </Button>
    </span>
  )
}
