import { useTranslation } from 'react-i18next'
import { memo, useMemo, Suspense, use, useState } from 'react'
import { t } from 'i18next'
import ReactMarkdown, { type Components } from 'react-markdown'
import { ErrorBoundary } from '#lib/ui/elements.tsx'
import { lazy } from '#shared/util/lazy.ts'
import { ClippedText } from '#lib/ui/long-text.tsx'
import { clipPassage } from '#lib/util/clip.ts'
import { hasMath, isCheapMath, normalizeFormulas } from '../parse/math.ts'
import type { Row } from '../parse/parse-document.ts'
import { CodeBlock, Properties } from './elements.tsx'
import { RowLineContext, DocumentContext } from './context.ts'
import type { DocumentRow } from './use-document.ts'
import type { RowRequest } from '../parse/markdown.worker.ts'
import { rehypeCodeDirection, rehypeTaskLines, remarkPlugins, type HtmlNode, type Plugins } from '../parse/plugins.ts'
import type { PlainReason } from '../parse/split-blocks.ts'
import { rowWorker, useWorker } from './markdown-worker.ts'

export const RowView = memo(function RowView({ row }: { row: DocumentRow }) {
  useTranslation()
  const { text, line: firstLine } = row
  const lineInNote = useMemo(() => {
    // If `normalizeFormulas` adds lines, the line numbers of the row are unknown.
    const keepsLines = normalizeFormulas(text).split('\n').length === text.split('\n').length
    return (line: number) => (keepsLines ? firstLine + line - 1 : undefined)
  }, [text, firstLine])
  return (
    <RowLineContext value={lineInNote}>
      <ErrorBoundary piece="text" resetKey={text}>
        <RowText row={row} />
      </ErrorBoundary>
    </RowLineContext>
  )
})

const indentEm = 1.4

export function RowText({ row }: { row: Row }) {
  if (row.kind === 'properties') return <Properties frontMatter={row.text} />
  if (row.kind === 'footnote') return <Footnote text={row.text} label={row.label} />
  if (row.kind === 'code') return <CodeBlock code={row.text} language={row.language} />
  const content =
    row.kind === 'plain' ? <PlainPassage text={row.text} reason={row.reason} /> : <Block text={row.text} />
  return row.depth === 0 ? content : <div style={{ paddingInlineStart: `${row.depth * indentEm}em` }}>{content}</div>
}

function Block({ text }: { text: string }) {
  const { syntax, components } = use(DocumentContext)
  const normalized = syntax === 'answer' ? text : normalizeFormulas(text)
  return (
    <MarkdownBlock
      text={normalized}
      syntax={syntax}
      components={components}
      hasMath={hasMath(normalized) && isCheapMath(normalized)}
      hasHtml={syntax !== 'answer' && /<\/?[a-z]/i.test(text)}
    />
  )
}

function Footnote({ text, label }: { text: string; label: string }) {
  const number = use(DocumentContext).footnotes.indexOf(label) + 1
  return (
    <div className={`footnote ${number === 1 ? 'footnotes-start' : ''}`} data-footnote={label}>
      <span className="footnote-number">{number}</span>
      <div className="min-w-0 flex-1">
        <Block text={text} />
      </div>
    </div>
  )
}

interface MarkdownBlockProps extends RowRequest {
  readonly components: Components
  readonly hasHtml: boolean
}

/** Texts up to this many characters are parsed in the UI thread, which takes a fraction of a second at most. */
const maxSyncLength = 2000

const MarkdownBlock = memo(function MarkdownBlock(props: MarkdownBlockProps) {
  const { text, syntax, hasMath } = props
  useTranslation()
  const parsed = useParsedText({ text, syntax, hasMath })
  if (parsed === null) return <PlainPassage text={text} reason="dense" />
  if (parsed === undefined) return <p className="break-words whitespace-pre-wrap">{clipPassage(text)}</p>
  const elements = { ...props, tree: undefined, ...parsed }
  return (
    <Suspense fallback={<Elements {...elements} isFallback />}>
      <Elements {...elements} />
    </Suspense>
  )
})

function PlainPassage({ text, reason }: { text: string; reason: PlainReason }) {
  return (
    <figure className="my-3 overflow-hidden rounded-sm border border-line" data-testid="plain">
      <figcaption className="border-b border-line bg-side px-3 py-1 text-[12px] text-muted">
        {t(`plain.${reason}`)}
      </figcaption>
      <div className="px-3 py-2">
        <ClippedText
          text={text}
          className="max-h-80 overflow-auto border-0! bg-transparent! p-0! font-mono text-[12.5px] leading-[1.55] break-words whitespace-pre-wrap"
        />
      </div>
    </figure>
  )
}

/** @returns what can be shown: undefined if there is nothing yet, null if parsing missed the deadline */
function useParsedText(request: RowRequest) {
  const { text, syntax, hasMath } = request
  const isShort = text.length <= maxSyncLength
  const key = `${syntax} ${hasMath} ${text}`
  const last = useWorker(rowWorker, isShort ? undefined : key, request)
  const [lastShortText, setLastShortText] = useState<string>()
  if (isShort && lastShortText !== text) setLastShortText(text)
  if (isShort) return { text }
  if (last) return last.answer && { tree: last.answer }
  return lastShortText === undefined ? undefined : { text: lastShortText }
}

interface ElementsProps extends MarkdownBlockProps {
  readonly tree: HtmlNode | undefined
  /** Shows the text without HTML and formulas while their plugins load. */
  readonly isFallback?: boolean
}

function Elements({ text, tree, syntax, components, hasMath, hasHtml, isFallback = false }: ElementsProps) {
  const math = hasMath && !isFallback ? use(loadMath()) : undefined
  const html = hasHtml && !isFallback ? use(loadHtml()) : []
  return (
    <ReactMarkdown
      remarkPlugins={tree ? [] : remarkPlugins(syntax, math?.remark)}
      rehypePlugins={[
        ...(tree ? [() => () => structuredClone(tree)] : []),
        rehypeTaskLines,
        rehypeCodeDirection,
        ...html,
        ...(math?.rehype ?? []),
      ]}
      components={components}
      skipHtml={isFallback && hasHtml}
    >
      {tree ? '' : text}
    </ReactMarkdown>
  )
}

const loadHtml = lazy(async (): Promise<Plugins> => [(await import('../parse/rehype-html.ts')).rehypeHtml])

const loadMath = lazy(async (): Promise<{ readonly remark: Plugins; readonly rehype: Plugins }> => {
  const [remarkMath, rehypeKatex] = await Promise.all([
    import('remark-math'),
    import('rehype-katex'),
    import('katex/dist/katex.min.css'),
  ])
  return {
    remark: [[remarkMath.default, { singleDollarTextMath: false }]],
    // An invalid or incomplete formula is shown as its source.
    rehype: [
      [
        rehypeKatex.default,
        { throwOnError: false, errorColor: 'currentColor', strict: false, maxSize: 30, maxExpand: 200 },
      ],
    ],
  }
})
