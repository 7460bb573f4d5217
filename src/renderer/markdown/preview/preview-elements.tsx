import { type ComponentProps, type ReactNode, use, createContext, useMemo } from 'react'
import { t } from 'i18next'
import type { Components } from 'react-markdown'
import { Link } from 'wouter'
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
import { tagQuery } from '#shared/markdown/properties/queries.ts'
import { paths } from '#lib/router/paths.ts'
import { clipLine, clipPassage } from '#lib/util/clip.ts'
import { CodeBlock, Anchor, codeOf, FootnoteMark, Table } from '../document/elements.tsx'
import { RowLineContext, DocumentContext } from '../document/context.ts'
import { toggleTaskBox } from '../parse/line-edits.ts'
import { BlockReference, Embed, LinkedPicture, WebPage } from './embed.tsx'
import { MermaidDiagram } from './mermaid.tsx'

type DataName = 'target' | 'label' | 'block' | 'text' | 'key' | 'kind' | 'fold' | 'state' | 'mark' | 'address'

interface ElementProps extends Readonly<Partial<Record<`data-${DataName}`, string>>> {
  readonly children?: ReactNode
  readonly 'data-line'?: number | string
}

const customElements: Readonly<Record<string, (data: ElementProps) => ReactNode>> = {
  'note-embed': (data) => (
    <Embed target={data['data-target'] ?? ''} label={data['data-label']} isBlock={data['data-block'] !== undefined} />
  ),
  'block-reference': (data) => <BlockReference id={data['data-target'] ?? ''} label={data['data-label']} />,
  'foot-note': FootnoteMark,
  'call-out': (data) => (
    <CallOut kind={data['data-kind'] ?? 'note'} fold={data['data-fold'] ?? ''}>
      {data.children}
    </CallOut>
  ),
  'call-out-title': ({ children }) => <CallOutTitle>{children}</CallOutTitle>,
  'note-tag': (data) => (
    <Link href={paths.search(tagQuery(data['data-text'] ?? ''))}>#{clipLine(data['data-text'] ?? '', 120)}</Link>
  ),
  'quiet-macro': (data) => <code className="quiet-macro">{clipLine(data['data-text'] ?? '', 120)}</code>,
  'web-page': (data) => <WebPage address={data['data-address'] ?? ''} label={data['data-label']} />,
  'note-property': (data) => (
    <span className="note-property">
      <span className="note-property-key">{data['data-key']}</span>
      {data.children}
    </span>
  ),
  'task-mark': (data) => <TaskMark mark={data['data-mark'] ?? ''} rowLine={data['data-line']} />,
  'line-mark': (data) => <LineMark source={data['data-text'] ?? ''} />,
  'task-state': (data) => (
    <span className="task-state" data-state={data['data-state']}>
      {data['data-state']}
    </span>
  ),
}

export const noteComponents = {
  a: Anchor,
  img: ({ src, alt }: ComponentProps<'img'>) => (
    <LinkedPicture src={typeof src === 'string' ? src : ''} alt={alt ?? ''} />
  ),
  input: TaskBox,
  pre: PreviewCode,
  table: Table,
  // The renderer looks up custom elements in the same map.
  ...customElements,
} as Components

function LineMark({ source }: { source: string }) {
  const isPrivate = /^(?:local|private)$/i.test(source)
  const title = isPrivate ? t('private.whole') : t('preview.source', { source })
  return (
    <span
      data-testid="line-mark"
      title={title}
      className="mx-0.5 rounded-sm border border-line px-1 align-text-top text-[10px] leading-none whitespace-nowrap text-muted"
    >
      {isPrivate ? t('private.mark') : source}
    </span>
  )
}

function PreviewCode({ children }: ComponentProps<'pre'>) {
  const code = codeOf(children)
  if (!code) return <pre>{children}</pre>
  if (code.language === 'mermaid') return <MermaidDiagram code={code.text} />
  const program = Object.hasOwn(programs, code.language) ? programs[code.language] : undefined
  if (program !== undefined) return <ForeignCode code={code.text} program={program} />
  return <CodeBlock code={code.text} language={code.language} />
}

const programs: Readonly<Record<string, string>> = {
  dataview: 'Dataview',
  dataviewjs: 'Dataview',
  query: 'Obsidian · Logseq',
  tasks: 'Tasks',
  tracker: 'Tracker',
  chart: 'Charts',
  leaflet: 'Leaflet',
  button: 'Buttons',
  kanban: 'Kanban',
  excalidraw: 'Excalidraw',
  base: 'Bases',
  'meta-bind': 'Meta Bind',
  templater: 'Templater',
  'foam-query': 'Foam',
}

function ForeignCode({ code, program }: { code: string; program: string }) {
  return (
    <details className="quiet-code">
      <summary>{t('preview.program', { program })}</summary>
      <pre tabIndex={0}>
        <code>{clipPassage(code, 4000)}</code>
      </pre>
    </details>
  )
}

/** Names of the checkbox states that the themes and plugins of Obsidian share. */
const stateNames = {
  '/': 'begun',
  '-': 'cancelled',
  '>': 'forwarded',
  '<': 'scheduled',
  '?': 'question',
  '!': 'important',
  '*': 'star',
} as const

const visibleMarks: Readonly<Record<string, string>> = { '/': '', '-': '–', '>': '›', '<': '‹' }

function TaskBox(props: ComponentProps<'input'>) {
  const isDone = props.checked === true
  const toggle = useTaskToggle((props as { 'data-line'?: number | string })['data-line'], isDone ? 'x' : ' ')
  return (
    <input
      type="checkbox"
      aria-label={t('preview.done')}
      checked={isDone}
      disabled={toggle === undefined}
      onChange={toggle}
    />
  )
}

function TaskMark({ mark, rowLine }: { mark: string; rowLine: number | string | undefined }) {
  const toggle = useTaskToggle(rowLine, mark)
  const stateName = Object.hasOwn(stateNames, mark) ? stateNames[mark as keyof typeof stateNames] : undefined
  const label = stateName === undefined ? t('preview.task.other', { mark }) : t(`preview.task.${stateName}`)
  return (
    <button
      type="button"
      role="checkbox"
      aria-checked="mixed"
      aria-label={label}
      title={label}
      data-mark={mark}
      className="task-mark"
      disabled={toggle === undefined}
      onClick={toggle}
    >
      {visibleMarks[mark] ?? mark}
    </button>
  )
}

/** Returns the click handler of a checkbox, or undefined if it is read-only. @param rowLine 1-based line in the row */
function useTaskToggle(rowLine: number | string | undefined, state: string): (() => void) | undefined {
  const { onEdit } = use(DocumentContext)
  const lineOf = use(RowLineContext)
  if (onEdit === undefined || rowLine === undefined) return undefined
  return () => {
    const line = lineOf(Number(rowLine))
    if (line !== undefined) onEdit(line, toggleTaskBox(state))
  }
}

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
function CallOut({ kind, fold, children }: { kind: string; fold: string; children: ReactNode }) {
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

function CallOutTitle({ children }: { children: ReactNode }) {
  const { kind, isFoldable } = use(CalloutContext)
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
