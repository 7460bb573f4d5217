import type { ComponentProps, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Components } from 'react-markdown'
import { Link } from 'wouter'
import { tagQuery } from '#shared/markdown/properties/queries.ts'
import { CodeBlock } from '../chat/code-block.tsx'
import { Anchor, codeOf, Table } from '../chat/markdown-elements.tsx'
import { paths } from '#lib/router/paths.ts'
import { clipLine } from '#lib/util/clip.ts'
import { BlockReference } from './block-reference.tsx'
import { CallOut, CallOutTitle } from './callout-block.tsx'
import { Embed } from './embed.tsx'
import { MermaidDiagram } from './mermaid.tsx'
import { useNote } from './note-context.ts'
import { LinkedPicture } from './picture.tsx'
import { programOf, QuietCode } from './quiet-code.tsx'
import { WebPage } from './web-page.tsx'
import { TaskBox, TaskMark } from './task.tsx'

/** Of code in one row: a view holds 3,000 nodes. */
const maxSpans = 900

/** What our own elements carry, as hast hands it on. */
interface Data {
  readonly children?: ReactNode
  readonly 'data-target'?: string
  readonly 'data-label'?: string
  readonly 'data-block'?: string
  readonly 'data-text'?: string
  readonly 'data-key'?: string
  readonly 'data-kind'?: string
  readonly 'data-fold'?: string
  readonly 'data-state'?: string
  readonly 'data-mark'?: string
  readonly 'data-line'?: number | string
  readonly 'data-address'?: string
}

const own: Readonly<Record<string, (data: Data) => ReactNode>> = {
  'note-embed': (data) => (
    <Embed target={data['data-target'] ?? ''} label={data['data-label']} isBlock={data['data-block'] !== undefined} />
  ),
  'block-reference': (data) => <BlockReference id={data['data-target'] ?? ''} label={data['data-label']} />,
  'foot-note': (data) => <FootnoteMark label={data['data-label'] ?? ''} />,
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
  'task-mark': (data) => <TaskMark mark={data['data-mark'] ?? ''} at={data['data-line']} />,
  'line-mark': (data) => <LineMark said={data['data-text'] ?? ''} />,
  'task-state': (data) => (
    <span className="task-state" data-state={data['data-state']}>
      {data['data-state']}
    </span>
  ),
}

export const components = {
  a: Anchor,
  img: ({ src, alt }: ComponentProps<'img'>) => (
    <LinkedPicture src={typeof src === 'string' ? src : ''} alt={alt ?? ''} />
  ),
  input: TaskBox,
  pre: Code,
  table: Table,
  // Names that are no elements of HTML: the renderer looks them up here all the same.
  ...own,
} as Components

/** `^[local]`, `^[web: example.org, 2026-11-22]`: small, and in words to those who point at it or cannot see it. */
function LineMark({ said }: { said: string }) {
  const { t } = useTranslation()
  const isLocal = said.toLowerCase() === 'local'
  const title = isLocal ? t('local.whole') : t('reading.source', { source: said })
  return (
    <span
      data-testid="line-mark"
      title={title}
      className="mx-0.5 rounded-sm border border-line px-1 align-text-top text-[10px] leading-none whitespace-nowrap text-muted"
    >
      {isLocal ? t('local.mark') : said}
    </span>
  )
}

function Code({ children }: ComponentProps<'pre'>) {
  const code = codeOf(children)
  if (!code) return <pre>{children}</pre>
  if (code.language === 'mermaid') return <MermaidDiagram code={code.text} />
  const program = programOf(code.language)
  if (program !== undefined) return <QuietCode code={code.text} program={program} />
  return <CodeBlock code={code.text} language={code.language} maxSpans={maxSpans} />
}

/** A number where the note has a footnote of that name; else what was written. */
function FootnoteMark({ label }: { label: string }) {
  const { t } = useTranslation()
  const { footnotes, onFootnote } = useNote()
  const number = footnotes.get(label)
  if (number === undefined) return `[^${label}]`
  return (
    <sup>
      <button
        type="button"
        className="footnote-mark"
        aria-label={t('reading.footnote', { number })}
        onClick={() => onFootnote(label)}
      >
        {number}
      </button>
    </sup>
  )
}
