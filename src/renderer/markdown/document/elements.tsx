import { use, useState, useMemo, type ComponentProps, type MouseEvent } from 'react'
import { t } from 'i18next'
import { Link } from 'wouter'
import { PreviewCard } from '@base-ui/react/preview-card'
import { useQuery } from '@tanstack/react-query'
import { formatTarget } from '#shared/markdown/links/parse-links.ts'
import { navigate, paths } from '#lib/router/paths.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { api } from '#lib/api/client.ts'
import { explainError } from '#lib/feedback/toast.ts'
import { clipLine, clipPassage } from '#lib/util/clip.ts'
import { CopyButton, IconButton } from '#lib/ui/elements.tsx'
import { decodeTarget, parseCitationHref, parseNameHref, nameHref, splitWikiLinks } from '../parse/mdast.ts'
import { QueryContext, ResultActions, usePlaceNames } from '../citations.tsx'
import { DocumentContext, RowLineContext } from './context.ts'
import { WrapText } from 'lucide-react'
import { ShowAll } from '#lib/ui/long-text.tsx'
import { createDeadlineWorker, useWorker } from './markdown-worker.ts'
import type { HighlightedLines, HighlightRequest } from './highlight.worker.ts'
import { tagQuery } from '#shared/markdown/properties/queries.ts'
import { shownProperties, writeProperty, type ShownProperty } from '../parse/line-edits.ts'

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
  const { links } = use(DocumentContext)
  const citation = parseCitationHref(href)
  if (citation) return <CitationChip {...citation} />
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

function CitationChip({ path, line }: { path: string; line?: number | undefined }) {
  const href = paths.source(path, line)
  const query = use(QueryContext)
  const title = usePlaceNames().chatTitle(path)
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
        {title ?? `${clipLine(path, 200)}${line === undefined ? '' : `:${line}`}`}
      </PreviewCard.Trigger>
      <PreviewCard.Portal>
        <PreviewCard.Positioner sideOffset={6} align="start">
          <PreviewCard.Popup className="z-50 w-[420px] rounded-md border border-line bg-raised p-3 text-[12px] shadow-float">
            <CitationPreview path={path} line={line} />
            <ResultActions place={{ path, line: line ?? 1 }} query={query} />
          </PreviewCard.Popup>
        </PreviewCard.Positioner>
      </PreviewCard.Portal>
    </PreviewCard.Root>
  )
}

function CitationPreview({ path, line = 1 }: { path: string; line: number | undefined }) {
  const { id: agent } = useAgent()
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

export function FootnoteMark({ 'data-label': label = '' }: { readonly 'data-label'?: string }) {
  const { footnotes, onFootnote } = use(DocumentContext)
  const number = footnotes.indexOf(label) + 1
  if (number === 0) return `[^${label}]`
  return (
    <sup>
      <button
        type="button"
        className="footnote-mark"
        aria-label={t('preview.footnote', { number })}
        onClick={() => onFootnote(label)}
      >
        {number}
      </button>
    </sup>
  )
}

const highlightDelayMs = 120
/** Some grammars backtrack excessively on a line. */
const deadlineMs = 10_000
const maxCachedResults = 200

const highlighter = createDeadlineWorker<HighlightRequest, HighlightedLines>(
  () => new Worker(new URL('highlight.worker.ts', import.meta.url), { type: 'module' }),
  deadlineMs,
  maxCachedResults,
)

/** Later lines of a block in a note stay plain: more spans would slow down scrolling. */
const maxSpansInNote = 900

export function CodeBlock({ code, language }: { code: string; language: string }) {
  const maxSpans = use(DocumentContext).syntax === 'answer' ? Infinity : maxSpansInNote
  const [isWrapped, setIsWrapped] = useState(false)
  const shownCode = clipPassage(code)
  const lines = useHighlight(shownCode, language)
  return (
    <figure className="group/code relative my-3 overflow-hidden rounded-sm border border-line bg-side">
      <figcaption className="flex h-8 items-center border-b border-line pr-1 pl-3 text-[12px] text-muted">
        <span className="flex-1 font-mono">{language}</span>
        <IconButton
          icon={WrapText}
          label={t('chat.wrap')}
          aria-pressed={isWrapped}
          onClick={() => setIsWrapped(!isWrapped)}
        />
        <CopyButton label={t('chat.copyCode')} text={code} />
      </figcaption>
      <pre
        tabIndex={0}
        className={`overflow-x-auto px-3 py-2.5 font-mono text-[12.5px] leading-[1.55] ${isWrapped ? 'whitespace-pre-wrap' : ''}`}
      >
        <code className="highlighted">{lines ? <Lines lines={lines} maxSpans={maxSpans} /> : shownCode}</code>
      </pre>
      {shownCode.length < code.length && (
        <div className="border-t border-line px-3 py-1">
          <ShowAll text={code} />
        </div>
      )}
    </figure>
  )
}

function Lines({ lines, maxSpans }: { lines: NonNullable<HighlightedLines>; maxSpans: number }) {
  let spans = 0
  return lines.map((line, index) => {
    spans += line.length
    return (
      <span key={index}>
        {spans > maxSpans
          ? line.map(({ text }) => text).join('')
          : line.map(({ text, color }, position) => (
              <span key={position} style={{ color }}>
                {text}
              </span>
            ))}
        {index < lines.length - 1 && '\n'}
      </span>
    )
  })
}

function useHighlight(code: string, language: string): HighlightedLines {
  const key = language === '' ? undefined : `${language}\n${code}`
  const last = useWorker(highlighter, key, { code, language }, highlightDelayMs)
  return last?.key === key ? (last?.answer ?? null) : null
}

const maxShown = 60

export function Properties({ frontMatter }: { frontMatter: string }) {
  const properties = useMemo(() => shownProperties(frontMatter), [frontMatter])
  if (properties?.length === 0) return null
  return (
    <section aria-label={t('preview.properties')} className="properties">
      {properties ? (
        <dl>
          {properties.slice(0, maxShown).map((property, index) => (
            <div key={`${index} ${property.key}`} className="property">
              <dt title={property.key}>{clipLine(property.key, 60)}</dt>
              <dd>
                <PropertyValue property={property} />
              </dd>
            </div>
          ))}
        </dl>
      ) : (
        <pre tabIndex={0}>{clipPassage(frontMatter, 4000)}</pre>
      )}
    </section>
  )
}

function PropertyValue({ property: { key, value, line } }: { property: ShownProperty }) {
  const { onEdit } = use(DocumentContext)
  const lineOf = use(RowLineContext)
  const write = (previous: string | boolean, next: string | boolean) => {
    const noteLine = lineOf(line + 1)
    if (noteLine !== undefined && previous !== next) onEdit?.(noteLine, writeProperty(key, previous, next))
  }
  switch (value.kind) {
    case 'flag':
      return (
        <input
          type="checkbox"
          aria-label={key}
          checked={value.isSet}
          disabled={!onEdit}
          onChange={() => write(value.isSet, !value.isSet)}
        />
      )
    case 'list':
      return (
        <span className="flex flex-wrap gap-1">
          {value.items.slice(0, 100).map((item, index) => (
            <span key={index} className="property-item">
              {/^tags?$/i.test(key) ? (
                <Link href={paths.search(tagQuery(item.replace(/^#/, '')))}>{clipLine(item, 120)}</Link>
              ) : (
                <LinkedText text={item} />
              )}
            </span>
          ))}
        </span>
      )
    case 'other':
      return <code className="whitespace-pre-wrap">{clipPassage(value.text, 1000)}</code>
    case 'text':
      return onEdit && value.isOwn ? (
        <TextField key={value.text} label={t('preview.property', { name: key })} text={value.text} onDone={write} />
      ) : (
        <LinkedText text={value.text} />
      )
  }
}

interface TextFieldProps {
  readonly label: string
  readonly text: string
  readonly onDone: (previous: string, next: string) => void
}

function TextField({ label, text, onDone }: TextFieldProps) {
  const [isEditing, setIsEditing] = useState(false)
  const [typed, setTyped] = useState(text)
  if (!isEditing)
    return (
      <span className="property-text">
        <LinkedText text={text} />
        <button type="button" aria-label={label} className="property-open" onClick={() => setIsEditing(true)} />
      </span>
    )
  const finish = (value: string) => {
    setIsEditing(false)
    onDone(text, value)
  }
  return (
    <input
      type="text"
      // Gets the focus, since the user has opened the field with a click.
      ref={(element) => element?.focus()}
      aria-label={label}
      value={typed}
      className="property-field"
      onChange={(event) => setTyped(event.target.value)}
      onBlur={() => finish(typed)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') finish(typed)
        if (event.key === 'Escape') {
          setTyped(text)
          setIsEditing(false)
        }
      }}
    />
  )
}

function LinkedText({ text }: { text: string }) {
  const shown = clipLine(text, 300)
  if (/^https?:\/\/\S+$/i.test(text))
    return (
      <a href={text} target="_blank" rel="noreferrer">
        {shown}
      </a>
    )
  return splitWikiLinks(shown).map((part, index) =>
    typeof part === 'string' ? (
      part
    ) : (
      <Anchor key={index} href={nameHref(part.target)}>
        {part.label}
      </Anchor>
    ),
  )
}
