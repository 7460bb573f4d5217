import {
  Bug,
  Check,
  ChevronRight,
  CircleAlert,
  CircleHelp,
  CircleX,
  ClipboardList,
  Flame,
  Info,
  ListTodo,
  Pencil,
  Quote,
  TriangleAlert,
  Zap,
  type LucideIcon,
} from 'lucide-react'
import { createContext, useContext, useMemo, type ReactNode } from 'react'

/** Obsidian's callout types and aliases, and the five of GitHub. */
const calloutStyles: Readonly<Record<string, readonly [LucideIcon, 'info' | 'good' | 'warning' | 'bad' | 'quiet']>> = {
  note: [Pencil, 'info'],
  abstract: [ClipboardList, 'info'],
  summary: [ClipboardList, 'info'],
  tldr: [ClipboardList, 'info'],
  info: [Info, 'info'],
  todo: [ListTodo, 'info'],
  tip: [Flame, 'good'],
  hint: [Flame, 'good'],
  important: [CircleAlert, 'info'],
  success: [Check, 'good'],
  check: [Check, 'good'],
  done: [Check, 'good'],
  question: [CircleHelp, 'warning'],
  help: [CircleHelp, 'warning'],
  faq: [CircleHelp, 'warning'],
  warning: [TriangleAlert, 'warning'],
  caution: [TriangleAlert, 'warning'],
  attention: [TriangleAlert, 'warning'],
  failure: [CircleX, 'bad'],
  fail: [CircleX, 'bad'],
  missing: [CircleX, 'bad'],
  danger: [Zap, 'bad'],
  error: [Zap, 'bad'],
  bug: [Bug, 'bad'],
  example: [ListTodo, 'info'],
  quote: [Quote, 'quiet'],
  cite: [Quote, 'quiet'],
}

const CalloutContext = createContext({ kind: 'note', isFoldable: false })

function styleOf(kind: string) {
  return (Object.hasOwn(calloutStyles, kind) ? calloutStyles[kind] : undefined) ?? ([Pencil, 'info'] as const)
}

/** `fold` is `+` for an open and `-` for a closed callout that can be folded, or empty. */
export function CallOut({ kind, fold, children }: { kind: string; fold: string; children: ReactNode }) {
  const [, tone] = styleOf(kind)
  const isFoldable = fold !== ''
  const context = useMemo(() => ({ kind, isFoldable }), [kind, isFoldable])
  return (
    <CalloutContext value={context}>
      {isFoldable ? (
        <details className={`callout callout-${tone}`} open={fold === '+'}>
          {children}
        </details>
      ) : (
        <div role="note" className={`callout callout-${tone}`}>
          {children}
        </div>
      )}
    </CalloutContext>
  )
}

export function CallOutTitle({ children }: { children: ReactNode }) {
  const { kind, isFoldable } = useContext(CalloutContext)
  const [Icon] = styleOf(kind)
  const Tag = isFoldable ? 'summary' : 'div'
  return (
    <Tag className="callout-title">
      <Icon size={15} aria-hidden className="shrink-0" />
      <span className="min-w-0 flex-1">{children}</span>
      {isFoldable && <ChevronRight size={14} aria-hidden className="callout-arrow shrink-0" />}
    </Tag>
  )
}
