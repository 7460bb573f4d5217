import type { ComponentProps } from 'react'

const looks = {
  primary: 'bg-accent text-on-accent hover:brightness-110 font-medium',
  plain: 'border border-line bg-raised hover:bg-soft',
  quiet: 'text-muted hover:bg-soft hover:text-text',
  link: 'text-accent hover:underline px-0 py-0 h-auto min-h-6',
} as const

export function Button({
  look = 'plain',
  className = '',
  ...props
}: ComponentProps<'button'> & { look?: keyof typeof looks }) {
  return (
    <button
      type="button"
      className={`inline-flex min-h-7 items-center gap-1.5 rounded-sm px-2.5 py-1 transition-colors duration-150 disabled:opacity-50 ${looks[look]} ${className}`}
      {...props}
    />
  )
}

export function IconButton({ label, className = '', ...props }: ComponentProps<'button'> & { label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`inline-flex size-7 shrink-0 items-center justify-center rounded-sm text-muted transition-colors duration-150 hover:bg-soft hover:text-text disabled:opacity-40 ${className}`}
      {...props}
    />
  )
}
