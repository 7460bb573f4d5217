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

type CalloutStyle = readonly [kinds: string, LucideIcon, 'info' | 'good' | 'warning' | 'bad' | 'quiet']

/** Obsidian's callout types and aliases, and the five of GitHub. Other kinds look like the first one. */
const calloutStyles: readonly [CalloutStyle, ...CalloutStyle[]] = [
  ['note', Pencil, 'info'],
  ['abstract summary tldr', ClipboardList, 'info'],
  ['info', Info, 'info'],
  ['todo example', ListTodo, 'info'],
  ['tip hint', Flame, 'good'],
  ['important', CircleAlert, 'info'],
  ['success check done', Check, 'good'],
  ['question help faq', CircleHelp, 'warning'],
  ['warning caution attention', TriangleAlert, 'warning'],
  ['failure fail missing', CircleX, 'bad'],
  ['danger error', Zap, 'bad'],
  ['bug', Bug, 'bad'],
  ['quote cite', Quote, 'quiet'],
]

const CalloutContext = createContext({ kind: 'note', isFoldable: false })

function styleOf(kind: string): CalloutStyle {
  return calloutStyles.find(([kinds]) => kinds.split(' ').includes(kind)) ?? calloutStyles[0]
}

/** `fold` is `+` for an open and `-` for a closed callout that can be folded, or empty. */
export function CallOut({ kind, fold, children }: { kind: string; fold: string; children: ReactNode }) {
  const [, , tone] = styleOf(kind)
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
  const [, Icon] = styleOf(kind)
  const Tag = isFoldable ? 'summary' : 'div'
  return (
    <Tag className="callout-title">
      <Icon size={15} aria-hidden className="shrink-0" />
      <span className="min-w-0 flex-1">{children}</span>
      {isFoldable && <ChevronRight size={14} aria-hidden className="callout-arrow shrink-0" />}
    </Tag>
  )
}
