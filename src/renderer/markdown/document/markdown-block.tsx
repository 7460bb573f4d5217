import { t } from 'i18next'
import { useTranslation } from 'react-i18next'
import { memo, Suspense, use, useState } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import { lazy } from '#shared/util/lazy.ts'
import { ClippedText } from '#lib/ui/clipped-text.tsx'
import { clipPassage } from '#lib/util/clip.ts'
import type { RowRequest } from '../parse/markdown.worker.ts'
import {
  rehypeCodeDirection,
  rehypeTaskLines,
  remarkPlugins,
  type HtmlNode,
  type Plugins,
  type Syntax,
} from '../parse/plugins.ts'
import type { PlainReason } from '../parse/split-blocks.ts'
import { rowWorker, useWorker } from './markdown-worker.ts'

interface MarkdownBlockProps extends RowRequest {
  readonly components: Components
  readonly hasHtml: boolean
}

/** Texts up to this many characters are parsed in the UI thread, which takes a fraction of a second at most. */
const maxSyncLength = 2000

/** Null if parsing missed the deadline. */
type BlockSource = { readonly text: string } | { readonly tree: HtmlNode } | null

export const MarkdownBlock = memo(function MarkdownBlock(props: MarkdownBlockProps) {
  const { text, syntax, hasMath, hasHtml, components } = props
  useTranslation()
  const source = useBlockSource({ text, syntax, hasMath })
  if (source === null) return <PlainPassage text={text} reason="dense" />
  if (source === undefined) return <p className="break-words whitespace-pre-wrap">{clipPassage(text)}</p>
  const elements = { source, syntax, components }
  if (!hasMath && !hasHtml) return <Elements {...elements} />
  return (
    <Suspense fallback={<Elements {...elements} isWithoutHtml={hasHtml} />}>
      <RichElements {...elements} hasMath={hasMath} hasHtml={hasHtml} />
    </Suspense>
  )
})

export function PlainPassage({ text, reason }: { text: string; reason: PlainReason }) {
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

/** Returns the latest parsed version of the text; undefined if there is none yet. */
function useBlockSource(request: RowRequest): BlockSource | undefined {
  const { text, syntax, hasMath } = request
  const isShort = text.length <= maxSyncLength
  const key = `${syntax} ${hasMath} ${text}`
  const cached = isShort ? undefined : rowWorker.cached(key)
  const last = useWorker(rowWorker, isShort || cached !== undefined ? undefined : key, request)
  const [lastShortText, setLastShortText] = useState<string>()
  if (isShort && lastShortText !== text) setLastShortText(text)
  if (isShort) return { text }
  const tree = cached ?? last?.answer
  if (tree) return { tree }
  if (cached === null || last?.answer === null) return null
  return lastShortText === undefined ? undefined : { text: lastShortText }
}

interface ElementsProps {
  readonly source: NonNullable<BlockSource>
  readonly syntax: Syntax
  readonly components: Components
  readonly math?: MathPlugins | undefined
  readonly html?: Plugins
  readonly isWithoutHtml?: boolean
}

function Elements({ source, syntax, components, math, html, isWithoutHtml = false }: ElementsProps) {
  return (
    <ReactMarkdown
      remarkPlugins={'text' in source ? remarkPlugins(syntax, math?.remark) : []}
      rehypePlugins={[
        ...('tree' in source ? [() => () => structuredClone(source.tree)] : []),
        rehypeTaskLines,
        rehypeCodeDirection,
        ...(html ?? []),
        ...(math?.rehype ?? []),
      ]}
      components={components}
      skipHtml={isWithoutHtml}
    >
      {'text' in source ? source.text : ''}
    </ReactMarkdown>
  )
}

type RichElementsProps = Pick<ElementsProps, 'source' | 'syntax' | 'components'> & {
  hasMath: boolean
  hasHtml: boolean
}

function RichElements({ hasMath, hasHtml, ...elements }: RichElementsProps) {
  const math = hasMath ? use(loadMath()) : undefined
  const html = hasHtml ? use(loadHtml()) : []
  return <Elements {...elements} math={math} html={html} />
}

const loadHtml = lazy(async (): Promise<Plugins> => [(await import('../parse/rehype-html.ts')).rehypeHtml])

interface MathPlugins {
  readonly remark: Plugins
  readonly rehype: Plugins
}

const loadMath = lazy(async (): Promise<MathPlugins> => {
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
