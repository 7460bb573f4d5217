import { useMutation } from '@tanstack/react-query'
import { t } from 'i18next'
import { useRef, useId, useState, createContext, use, type ReactNode, type ComponentProps } from 'react'
import { Button, Chevron, IconButton, ErrorBoundary, ErrorText, Form, TextInput } from './elements.tsx'
import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { Link } from 'wouter'
import { paths, useEncodedPath } from '../router/paths.ts'
import { formatBoundKeys } from '../util/shortcuts.ts'

interface DialogProps {
  readonly title: string
  /** Label of the button that submits; without it the dialog can only be closed. */
  readonly action?: string | undefined
  readonly canSubmit?: boolean
  readonly focusesAction?: boolean
  readonly aside?: ReactNode
  /** Distance from the top, width and height. */
  readonly className?: string
  readonly onSubmit: () => void
  readonly onClose: () => void
  readonly children: ReactNode
}

export function Dialog({
  title,
  action,
  canSubmit = true,
  focusesAction = false,
  aside,
  className = 'top-[22vh] w-[min(460px,92vw)]',
  onSubmit,
  onClose,
  children,
}: DialogProps) {
  return (
    <Modal
      className={`left-1/2 -translate-x-1/2 rounded-lg border border-line bg-raised p-4 shadow-float ${className}`}
      onClose={onClose}
    >
      <Form className="flex flex-col gap-3" onSubmit={onSubmit}>
        <ModalTitle>{title}</ModalTitle>
        {children}
        <div className="flex flex-wrap items-center justify-end gap-2">
          {aside}
          <Button look="quiet" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          {action !== undefined && (
            <Button look="primary" type="submit" disabled={!canSubmit} autoFocus={focusesAction}>
              {action}
            </Button>
          )}
        </div>
      </Form>
    </Modal>
  )
}

export const backdropLook = 'fixed inset-0 z-40 bg-text/10 dark:bg-paper/60'

export function Modal({ className, onClose, children }: Pick<DialogProps, 'className' | 'onClose' | 'children'>) {
  return (
    <BaseDialog.Root open onOpenChange={(open) => !open && onClose()}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={backdropLook} />
        <BaseDialog.Popup className={`fixed z-50 ${className}`}>{children}</BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  )
}

export function ModalTitle({ children }: { children: ReactNode }) {
  return <BaseDialog.Title className="font-semibold">{children}</BaseDialog.Title>
}

interface SheetProps extends Pick<DialogProps, 'title' | 'onClose' | 'children'> {
  readonly tools?: ReactNode
}

export function Sheet({ title, tools, onClose, children }: SheetProps) {
  return (
    <Modal
      className="inset-x-[6vw] inset-y-[7vh] flex flex-col overflow-hidden rounded-lg border border-line bg-raised shadow-float"
      onClose={onClose}
    >
      <header className="flex min-h-11 flex-wrap items-center gap-3 border-b border-line py-1 pr-2 pl-4">
        <ModalTitle>{title}</ModalTitle>
        <span className="flex-1" />
        {tools}
        <IconButton icon={X} label={t('common.close')} onClick={onClose} />
      </header>
      <ErrorBoundary piece="view" variant="view" resetKey={title}>
        {children}
      </ErrorBoundary>
    </Modal>
  )
}

interface SidePanelProps extends Pick<DialogProps, 'title' | 'onClose' | 'children'> {
  readonly closing: string
}

export function SidePanel({ title, closing, onClose, children }: SidePanelProps) {
  return (
    <aside
      aria-label={title}
      className="flex w-[340px] shrink-0 flex-col border-l border-line bg-side max-[899px]:fixed max-[899px]:inset-y-0 max-[899px]:right-0 max-[899px]:z-30 max-[899px]:w-[min(340px,100vw)] max-[899px]:shadow-float"
    >
      <header className="flex h-[43px] shrink-0 items-center border-b border-line pr-2 pl-4">
        <h2 className="flex-1 font-semibold">{title}</h2>
        <IconButton icon={X} label={closing} onClick={onClose} />
      </header>
      <div className="relative min-h-0 flex-1 overflow-y-auto">{children}</div>
    </aside>
  )
}

interface PromptDialogProps extends Pick<DialogProps, 'title' | 'onClose'> {
  readonly label: string
  readonly initial: string
  readonly action: string
  readonly isPath?: boolean
  /** @returns `next` if another dialog replaces this one, which then does not close. @throws an error to show */
  readonly onSubmit: (value: string) => void | Promise<'next' | void>
}

export function PromptDialog({ title, label, initial, action, isPath = false, onSubmit, onClose }: PromptDialogProps) {
  const [value, setValue] = useState(initial)
  const field = useRef<HTMLInputElement>(null)
  const errorId = useId()
  const submit = useMutation({
    meta: { handlesError: true },
    mutationFn: async () => onSubmit(value.trim()),
    onSuccess: (next) => next !== 'next' && onClose(),
    onError: () => field.current?.focus(),
  })
  const selectName = (input: HTMLInputElement) => {
    const dot = initial.lastIndexOf('.')
    if (isPath && dot > 0) input.setSelectionRange(initial.lastIndexOf('/') + 1, dot)
    else input.select()
  }
  return (
    <Dialog
      title={title}
      action={action}
      canSubmit={value.trim() !== '' && !submit.isPending}
      onSubmit={() => submit.mutate()}
      onClose={onClose}
    >
      <TextInput
        ref={field}
        autoFocus
        value={value}
        maxLength={isPath ? 1000 : 200}
        spellCheck={!isPath}
        aria-label={label}
        aria-invalid={submit.isError}
        aria-describedby={submit.isError ? errorId : undefined}
        onChange={(text) => {
          setValue(text)
          if (submit.isError) submit.reset()
        }}
        onFocus={(event) => value === initial && selectName(event.target)}
        className={`bg-paper! px-3 py-2 ${isPath ? 'font-mono text-[12px]' : ''}`}
      />
      <div className="max-h-40 overflow-y-auto text-[12px] empty:hidden">
        <ErrorText id={errorId} error={submit.error} />
      </div>
    </Dialog>
  )
}

/** The button that opens the hidden sidebar, at the start of each view's header. */
export const HeaderStart = createContext<ReactNode>(null)

export function ViewHeader({ title, aside, children }: { title: ReactNode; aside?: ReactNode; children?: ReactNode }) {
  return (
    <header className="flex min-h-[43px] shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-5 py-1 max-sm:px-3">
      {use(HeaderStart)}
      <div className="flex min-w-0 flex-1 basis-40 items-center gap-3">
        <h1 className="min-w-0 truncate text-[14px] font-semibold">{title}</h1>
        {aside !== undefined && <span className="min-w-0 flex-1 basis-0 truncate text-muted">{aside}</span>}
      </div>
      {children}
    </header>
  )
}

/** @param session the chat whose requests *Sent* shows */
export function InspectTabs({ session, children }: { session?: string | undefined; children?: ReactNode }) {
  const currentPath = useEncodedPath()
  const tabs = [
    { href: paths.sent(session), start: paths.sent(), name: t('inspect.sent') },
    { href: paths.found(), start: paths.found(), name: t('inspect.found') },
    { href: paths.checks(), start: paths.checks(), name: t('inspect.tested') },
  ]
  const isCurrent = (start: string) =>
    currentPath.startsWith(start) || (start === paths.found() && currentPath === paths.recalls())
  return (
    <header className="flex min-h-[43px] shrink-0 flex-wrap items-center gap-3 border-b border-line px-5 py-1 max-sm:px-3">
      {use(HeaderStart)}
      <nav aria-label={t('inspect.title')} className="flex grow gap-4 whitespace-nowrap">
        {tabs.map(({ href, start, name }) => (
          <Link
            key={start}
            href={href}
            aria-current={isCurrent(start) ? 'page' : undefined}
            className="border-b-2 border-transparent py-1.5 text-muted hover:text-text aria-[current=page]:border-accent aria-[current=page]:text-text"
          >
            {name}
          </Link>
        ))}
      </nav>
      {children}
    </header>
  )
}

interface NavRowProps {
  readonly href: string
  readonly isCurrent: boolean
  readonly icon?: ReactNode
  readonly aside?: ReactNode
  readonly children: ReactNode
}

export function NavRow({ href, isCurrent, icon, aside, children }: NavRowProps) {
  return (
    <Link
      href={href}
      aria-current={isCurrent ? 'page' : undefined}
      className={`flex min-h-[27px] items-center gap-2.5 rounded-sm px-2 transition-colors duration-150 ${isCurrent ? 'bg-selected' : 'hover:bg-soft'}`}
    >
      {icon && <span className="text-muted">{icon}</span>}
      <span className="min-w-0 flex-1 truncate">{children}</span>
      {aside !== undefined && <span className="text-[11px] text-muted">{aside}</span>}
    </Link>
  )
}

export function SectionTitle({ children }: { children: ReactNode }) {
  return <h2 className="px-2 pt-4 pb-1 text-[11px] font-medium tracking-wide text-muted uppercase">{children}</h2>
}

export function Keys({ keys }: { keys: string }) {
  return <kbd className="font-sans text-[11px] text-muted">{formatBoundKeys(keys)}</kbd>
}

interface SidebarSectionProps {
  readonly title: string
  readonly aside?: ReactNode
  /** Key under which the folded state is stored; without it, the section cannot be folded. */
  readonly foldKey?: string
  readonly startsFolded?: boolean
  readonly drop?: Pick<ComponentProps<'section'>, 'onDragOver' | 'onDrop'>
  readonly children: ReactNode
}

export function SidebarSection({ title, aside, foldKey, startsFolded = false, drop, children }: SidebarSectionProps) {
  const storageKey = `commonplace.folded.${foldKey}`
  const [stored, setStored] = useState(() => localStorage.getItem(storageKey))
  const isFolded = foldKey !== undefined && (stored === null ? startsFolded : stored === 'yes')
  const toggle = () => {
    const next = isFolded ? 'no' : 'yes'
    localStorage.setItem(storageKey, next)
    setStored(next)
  }
  return (
    <section aria-label={title} {...drop} className="px-2.5 pb-2">
      <h2 className="flex min-h-7 items-center gap-1 pt-1 text-[11px] font-medium tracking-wide text-muted uppercase">
        {foldKey === undefined ? (
          <span className="min-w-0 flex-1 truncate px-2">{title}</span>
        ) : (
          <button
            type="button"
            aria-expanded={!isFolded}
            onClick={toggle}
            className="flex min-h-6 min-w-0 flex-1 items-center gap-1 rounded-sm px-1 text-left uppercase hover:text-text"
          >
            <Chevron isOpen={!isFolded} size={11} />
            <span className="truncate">{title}</span>
          </button>
        )}
        {aside}
      </h2>
      {!isFolded && children}
    </section>
  )
}
