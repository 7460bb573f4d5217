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
const kinds: Readonly<Record<string, readonly [LucideIcon, 'info' | 'good' | 'warning' | 'bad' | 'quiet']>> = {
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

const Folding = createContext<{ readonly kind: string; readonly folds: boolean }>({ kind: 'note', folds: false })

function lookOf(kind: string) {
  return (Object.hasOwn(kinds, kind) ? kinds[kind] : undefined) ?? ([Pencil, 'info'] as const)
}

export function CallOut({ kind, fold, children }: { kind: string; fold: string; children: ReactNode }) {
  const [, tone] = lookOf(kind)
  const folds = fold !== ''
  const folding = useMemo(() => ({ kind, folds }), [kind, folds])
  return (
    <Folding value={folding}>
      {folds ? (
        <details className={`callout callout-${tone}`} open={fold === '+'}>
          {children}
        </details>
      ) : (
        <div role="note" className={`callout callout-${tone}`}>
          {children}
        </div>
      )}
    </Folding>
  )
}

export function CallOutTitle({ children }: { children: ReactNode }) {
  const { kind, folds } = useContext(Folding)
  const [Icon] = lookOf(kind)
  const content = (
    <>
      <Icon size={15} aria-hidden className="shrink-0" />
      <span className="min-w-0 flex-1">{children}</span>
      {folds && <ChevronRight size={14} aria-hidden className="callout-arrow shrink-0" />}
    </>
  )
  return folds ? <summary className="callout-title">{content}</summary> : <div className="callout-title">{content}</div>
}
