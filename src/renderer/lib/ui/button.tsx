import { t } from 'i18next'
import { Check, Copy, type LucideIcon } from 'lucide-react'
import type { ComponentProps, ReactNode, ReactElement } from 'react'
import { Link } from 'wouter'
import { useCopy } from '../util/hooks.ts'
import { Menu } from '@base-ui/react/menu'

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

export function CopyButton({ text, label }: { text: string; label: string }) {
  const { isCopied, copy } = useCopy()
  return (
    <IconButton icon={isCopied ? Check : Copy} label={isCopied ? t('chat.copied') : label} onClick={() => copy(text)} />
  )
}

interface TextLinkProps {
  readonly href: string
  readonly className?: string
  readonly onClick?: (() => void) | undefined
  readonly children: ReactNode
}

export function TextLink({ className = '', ...props }: TextLinkProps) {
  return <Link className={`text-accent hover:underline ${className}`} {...props} />
}

export function ActionMenu({ trigger, children }: { trigger: ReactElement; children: ReactNode }) {
  return (
    <Menu.Root>
      <Menu.Trigger render={trigger} />
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end" className="z-50">
          <Menu.Popup className="min-w-48 rounded-md border border-line bg-raised p-1 text-[13px] shadow-float">
            {children}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

export function ActionItem({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <Menu.Item onClick={onClick} className="flex min-h-7 items-center rounded-sm px-2 data-[highlighted]:bg-soft">
      {children}
    </Menu.Item>
  )
}

export function ActionSeparator() {
  return <Menu.Separator className="my-1 border-t border-line" />
}
