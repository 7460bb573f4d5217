import { useTranslation } from 'react-i18next'
import { memo, Suspense, use, useEffect, useRef, useState } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import { lazy } from '#shared/util/lazy.ts'
import { clipPassage } from '#lib/util/clip.ts'
import { DeadlineWorker } from '#lib/util/deadline-worker.ts'
import type { HtmlTree, MarkdownKind, MarkdownRequest } from '../parse/markdown.worker.ts'
import type { Plugins } from './answer-plugins.ts'
import { PlainPassage } from './piece-view.tsx'

export interface BlockRenderer {
  readonly kind: MarkdownKind
  readonly remark: (math?: Plugins) => Plugins
  readonly rehype: Plugins
  readonly components: Components
  readonly loadHtml?: () => Promise<Plugins>
}

interface MarkdownBlockProps {
  readonly text: string
  readonly renderer: BlockRenderer
  readonly hasMath: boolean
  readonly hasHtml?: boolean
}

/**
 * Texts up to this many characters are parsed in the UI thread: none of this length takes longer than a
 * fraction of a second.
 */
const maxSyncLength = 2000
const deadlineMs = 2000
const maxCachedTrees = 100

const trees = new DeadlineWorker<MarkdownRequest, HtmlTree>(
  () => new Worker(new URL('../parse/markdown.worker.ts', import.meta.url), { type: 'module' }),
  deadlineMs,
  maxCachedTrees,
)

/** Null if parsing missed the deadline. */
type BlockSource = { readonly text: string } | { readonly tree: HtmlTree } | null

export const MarkdownBlock = memo(function MarkdownBlock(props: MarkdownBlockProps) {
  const { text, renderer, hasMath, hasHtml = false } = props
  useTranslation()
  const source = useBlockSource(text, renderer.kind, hasMath)
  if (source === null) return <PlainPassage text={text} reason="dense" />
  if (source === undefined) return <p className="break-words whitespace-pre-wrap">{clipPassage(text)}</p>
  if (!hasMath && !hasHtml) return <Elements source={source} renderer={renderer} />
  return (
    <Suspense fallback={<Elements source={source} renderer={renderer} isWithoutHtml={hasHtml} />}>
      <RichElements source={source} renderer={renderer} hasMath={hasMath} hasHtml={hasHtml} />
    </Suspense>
  )
})

function useBlockSource(text: string, kind: MarkdownKind, hasMath: boolean): BlockSource | undefined {
  const isShort = text.length <= maxSyncLength
  const key = `${kind} ${hasMath} ${text}`
  const cached = isShort ? undefined : trees.cached(key)
  const [parsed, setParsed] = useState<{ readonly text: string; readonly source: BlockSource }>()
  const [lastShortText, setLastShortText] = useState<string>()
  if (isShort && lastShortText !== text) setLastShortText(text)
  const isBusy = useRef(false)
  // A longer version of a text that missed the deadline would miss it, too.
  const willMissDeadline = parsed?.source === null && text.startsWith(parsed.text)
  useEffect(() => {
    if (isShort || willMissDeadline || isBusy.current || parsed?.text === text || trees.cached(key) !== undefined)
      return
    isBusy.current = true
    void trees.ask(key, { text, kind, hasMath }).then((tree) => {
      isBusy.current = false
      setParsed({ text, source: tree && { tree } })
    })
  }, [text, kind, hasMath, key, isShort, willMissDeadline, parsed])
  if (isShort) return { text }
  if (cached !== undefined) return cached && { tree: cached }
  if (parsed && (parsed.source !== null || willMissDeadline)) return parsed.source
  return lastShortText === undefined ? undefined : { text: lastShortText }
}

interface ElementsProps {
  readonly source: NonNullable<BlockSource>
  readonly renderer: BlockRenderer
  readonly math?: MathPlugins | undefined
  readonly html?: Plugins
  readonly isWithoutHtml?: boolean
}

function Elements({ source, renderer, math, html, isWithoutHtml = false }: ElementsProps) {
  return (
    <ReactMarkdown
      remarkPlugins={'text' in source ? renderer.remark(math?.remark) : []}
      rehypePlugins={[
        ...('tree' in source ? [() => () => structuredClone(source.tree)] : []),
        ...renderer.rehype,
        ...(html ?? []),
        ...(math?.rehype ?? []),
      ]}
      components={renderer.components}
      skipHtml={isWithoutHtml}
    >
      {'text' in source ? source.text : ''}
    </ReactMarkdown>
  )
}

type RichElementsProps = Pick<ElementsProps, 'source' | 'renderer'> & { hasMath: boolean; hasHtml: boolean }

function RichElements({ source, renderer, hasMath, hasHtml }: RichElementsProps) {
  const math = hasMath ? use(loadMath()) : undefined
  const html = hasHtml && renderer.loadHtml ? use(renderer.loadHtml()) : []
  return <Elements source={source} renderer={renderer} math={math} html={html} />
}

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
