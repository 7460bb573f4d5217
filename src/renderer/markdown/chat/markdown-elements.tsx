import { createContext, useContext, type ComponentProps, type MouseEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { paths } from '#lib/router/paths.ts'
import { parseCitationHref } from './citation.ts'
import { CitationChip } from './citation-chip.tsx'
import { CodeBlock } from './code-block.tsx'
import { wholeTarget, type LinkTarget } from '#shared/markdown/links/link-target.ts'
import { decodeTarget, parseNameHref } from './named-link.ts'

/** Where links of a file lead. @see ../links/use-note-links.ts */
export interface NoteLinks {
  /** The path that a link leads to; undefined for nowhere. */
  readonly resolve: (kind: 'wiki' | 'inline', link: LinkTarget) => string | undefined
  /** What a link is called that says no name of its own. */
  readonly nameOf: (link: LinkTarget) => string
  /** Goes to the heading or block that a link names, or to where its note can be made. */
  readonly open: (kind: 'wiki' | 'inline', link: LinkTarget) => void
}

/** Whose files the citations name, and where links between files lead. */
export const Source = createContext<{ agent: string; links: NoteLinks | undefined }>({ agent: '', links: undefined })

export function Preformatted({ children }: ComponentProps<'pre'>) {
  const code = codeOf(children)
  return code ? <CodeBlock code={code.text} language={code.language} /> : <pre>{children}</pre>
}

/** The one `code` element that Markdown puts into a `pre`. */
export function codeOf(children: unknown): { text: string; language: string } | undefined {
  if (typeof children !== 'object' || children === null || !('props' in children)) return undefined
  const { children: text, className = '' } = children.props as { children?: unknown; className?: string }
  if (typeof text !== 'string') return undefined
  const language = /language-([\w#+-]+)/.exec(className)?.[1] ?? ''
  return { text: text.replace(/\n$/, ''), language: language.toLowerCase() }
}

/** Wide tables scroll by themselves. */
export function Table({ children }: ComponentProps<'table'>) {
  return (
    <div className="overflow-x-auto" tabIndex={0}>
      <table>{children}</table>
    </div>
  )
}

export function Anchor({ href, children: written }: ComponentProps<'a'>) {
  const { agent, links } = useContext(Source)
  const { t } = useTranslation()
  const citation = parseCitationHref(href)
  if (citation) return <CitationChip agent={agent} citation={citation} />
  const name = parseNameHref(href)
  const kind = name === undefined ? 'inline' : 'wiki'
  const target = name ?? decodeTarget(href)
  const children = links && name && written === wholeTarget(name) ? links.nameOf(name) : written
  const path = target === undefined ? undefined : links?.resolve(kind, target)
  const open = (event: MouseEvent) => {
    if (target === undefined || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    links?.open(kind, target)
  }
  if (path !== undefined)
    return (
      <Link href={paths.file(path)} onClick={open}>
        {children}
      </Link>
    )
  if (links && target !== undefined)
    return (
      <a href={href} className="unresolved" title={t('links.unresolved')} onClick={open}>
        {children}
      </a>
    )
  if (name !== undefined) return <span className="text-muted">[[{children}]]</span>
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {children}
    </a>
  )
}
