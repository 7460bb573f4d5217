import { use, type ComponentProps, type MouseEvent } from 'react'
import { t } from 'i18next'
import { Link, useLocation } from 'wouter'
import { PreviewCard } from '@base-ui/react/preview-card'
import { useQuery } from '@tanstack/react-query'
import { formatTarget } from '#shared/markdown/links/link-target.ts'
import { paths } from '#lib/router/paths.ts'
import { api } from '#lib/api/client.ts'
import { explainError } from '#lib/feedback/explain.ts'
import { clipLine } from '#lib/util/clip.ts'
import { ErrorBoundary } from '#lib/ui/error-boundary.tsx'
import { decodeTarget, parseCitationHref, parseNameHref, type LinkedPlace } from '../parse/link-addresses.ts'
import { QueryContext, ResultActions } from '../citations/result-actions.tsx'
import { usePlaceNames } from '../citations/place-link.tsx'
import { CodeBlock } from './code-block.tsx'
import { useDocumentContext } from './context.ts'

export function Preformatted({ children }: ComponentProps<'pre'>) {
  const code = codeOf(children)
  return code ? <CodeBlock code={code.text} language={code.language} /> : <pre>{children}</pre>
}

/** Returns the text and language of the `code` element inside a `pre`, or undefined if there is none. */
export function codeOf(children: unknown): { text: string; language: string } | undefined {
  if (typeof children !== 'object' || children === null || !('props' in children)) return undefined
  const { children: text, className = '' } = children.props as { children?: unknown; className?: string }
  if (typeof text !== 'string') return undefined
  const language = /language-([\w#+-]+)/.exec(className)?.[1] ?? ''
  return { text: text.replace(/\n$/, ''), language: language.toLowerCase() }
}

export function Table({ children }: ComponentProps<'table'>) {
  return (
    <div className="overflow-x-auto" tabIndex={0}>
      <table>{children}</table>
    </div>
  )
}

export function Anchor({ href, children }: ComponentProps<'a'>) {
  const { agent, links } = useDocumentContext()
  const citation = parseCitationHref(href)
  if (citation) return <CitationChip agent={agent} citation={citation} />
  const wikiTarget = parseNameHref(href)
  const kind = wikiTarget === undefined ? 'inline' : 'wiki'
  const target = wikiTarget ?? decodeTarget(href)
  const isUnlabelled = wikiTarget !== undefined && children === formatTarget(wikiTarget)
  const label = links && isUnlabelled ? links.nameOf(wikiTarget) : children
  const path = target === undefined ? undefined : links?.resolve(kind, target)
  const onClick = (event: MouseEvent) => {
    if (target === undefined || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    links?.open(kind, target)
  }
  if (path !== undefined)
    return (
      <Link href={paths.file(path)} onClick={onClick}>
        {label}
      </Link>
    )
  if (links && target !== undefined)
    return (
      <a href={href} className="unresolved" title={t('links.unresolved')} onClick={onClick}>
        {label}
      </a>
    )
  if (wikiTarget !== undefined) return <span className="text-muted">[[{label}]]</span>
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {label}
    </a>
  )
}

const contextLines = 3

function CitationChip({ agent, citation }: { agent: string; citation: LinkedPlace }) {
  const [, navigate] = useLocation()
  const href = paths.source(citation.path, citation.line)
  const query = use(QueryContext)
  const title = usePlaceNames(agent).chatTitle(citation.path)
  return (
    <PreviewCard.Root>
      <PreviewCard.Trigger
        href={href}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey) return
          event.preventDefault()
          navigate(href)
        }}
        className="mx-0.5 rounded-[5px] bg-accent-wash px-1.5 py-0.5 font-mono text-[12px] text-accent no-underline! hover:brightness-95"
      >
        {title ?? `${clipLine(citation.path, 200)}${citation.line === undefined ? '' : `:${citation.line}`}`}
      </PreviewCard.Trigger>
      <PreviewCard.Portal>
        <PreviewCard.Positioner sideOffset={6} align="start">
          <PreviewCard.Popup className="z-50 w-[420px] rounded-md border border-line bg-raised p-3 text-[12px] shadow-float">
            <ErrorBoundary piece="preview" resetKey={citation.path}>
              <CitationPreview agent={agent} citation={citation} />
              <ResultActions agent={agent} place={{ path: citation.path, line: citation.line ?? 1 }} query={query} />
            </ErrorBoundary>
          </PreviewCard.Popup>
        </PreviewCard.Positioner>
      </PreviewCard.Portal>
    </PreviewCard.Root>
  )
}

function CitationPreview({ agent, citation: { path, line = 1 } }: { agent: string; citation: LinkedPlace }) {
  const file = useQuery(api.workspace.read.queryOptions({ input: { agent, path } }))
  if (file.error) return <p className="text-muted">{explainError(file.error)}</p>
  const lines = file.data?.text.split('\n') ?? []
  const firstLine = Math.max(1, line - contextLines)
  return (
    <ol className="font-mono">
      {lines.slice(firstLine - 1, line + contextLines).map((text, index) => (
        <li key={index} className={`flex gap-3 ${firstLine + index === line ? 'bg-found' : ''}`}>
          <span className="w-6 shrink-0 text-right text-muted tabular">{firstLine + index}</span>
          <span className="min-w-0 break-words whitespace-pre-wrap">{clipLine(text)}</span>
        </li>
      ))}
    </ol>
  )
}

/** Links to a footnote. */
export function FootnoteMark({ 'data-label': label = '' }: { readonly 'data-label'?: string }) {
  const { footnotes, onFootnote } = useDocumentContext()
  const number = footnotes.indexOf(label) + 1
  if (number === 0) return `[^${label}]`
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
