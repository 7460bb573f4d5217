import { memo, Suspense, use, useEffect, useRef, useState } from 'react'
import ReactMarkdown, { type Components, type Options } from 'react-markdown'
import { clipPassage } from '#lib/util/clip.ts'
import { DeadlineWorker } from '#lib/util/deadline-worker.ts'
import type { HtmlTree, MarkdownKind, MarkdownRequest } from '../parse/markdown.worker.ts'
import { PlainPassage } from './plain-passage.tsx'

type Plugins = NonNullable<Options['rehypePlugins']>

export interface BlockRenderer {
  readonly kind: MarkdownKind
  readonly remark: (math?: Plugins) => Plugins
  readonly rehype: Plugins
  readonly components: Components
  readonly loadHtml?: () => Promise<Plugins>
}

interface MarkdownBlockProps {
  readonly text: string
  readonly look: BlockRenderer
  readonly isMath: boolean
  readonly isHtml?: boolean
}

/**
 * Texts up to this many characters are parsed in the window: no text of this length takes longer than a
 * fraction of a second.
 */
const maxAtOnce = 2000
const deadlineMs = 2000

const trees = new DeadlineWorker<MarkdownRequest, HtmlTree>(
  () => new Worker(new URL('../parse/markdown.worker.ts', import.meta.url), { type: 'module' }),
  deadlineMs,
  100,
)

type Drawable = { readonly text: string } | { readonly tree: HtmlTree } | null

export const MarkdownBlock = memo(function MarkdownBlock({ text, look, isMath, isHtml = false }: MarkdownBlockProps) {
  const shown = useDrawable(text, look.kind, isMath)
  if (shown === null) return <PlainPassage text={text} excess="dense" />
  if (shown === undefined) return <p className="break-words whitespace-pre-wrap">{clipPassage(text)}</p>
  if (!isMath && !isHtml) return <Elements shown={shown} look={look} />
  return (
    <Suspense fallback={<Elements shown={shown} look={look} isWithoutHtml={isHtml} />}>
      <RichElements shown={shown} look={look} isMath={isMath} isHtml={isHtml} />
    </Suspense>
  )
})

function useDrawable(text: string, kind: MarkdownKind, isMath: boolean): Drawable | undefined {
  const isShort = text.length <= maxAtOnce
  const key = `${kind} ${isMath} ${text}`
  const known = isShort ? undefined : trees.cached(key)
  const [last, setLast] = useState<{ readonly text: string; readonly shown: Drawable }>()
  const [short, setShort] = useState<string>()
  if (isShort && short !== text) setShort(text)
  const isBusy = useRef(false)
  // A longer version of a text that missed the deadline would miss it, too.
  const willMissDeadline = last?.shown === null && text.startsWith(last.text)
  useEffect(() => {
    if (isShort || willMissDeadline || isBusy.current || last?.text === text || trees.cached(key) !== undefined) return
    isBusy.current = true
    void trees.ask(key, { text, kind, isMath }).then((tree) => {
      isBusy.current = false
      setLast({ text, shown: tree && { tree } })
    })
  }, [text, kind, isMath, key, isShort, willMissDeadline, last])
  if (isShort) return { text }
  if (known !== undefined) return known && { tree: known }
  if (last && (last.shown !== null || willMissDeadline)) return last.shown
  return short === undefined ? undefined : { text: short }
}

interface ElementsProps {
  readonly shown: NonNullable<Drawable>
  readonly look: BlockRenderer
  readonly math?: MathPlugins | undefined
  readonly html?: Plugins
  readonly isWithoutHtml?: boolean
}

function Elements({ shown, look, math, html, isWithoutHtml = false }: ElementsProps) {
  return (
    <ReactMarkdown
      remarkPlugins={'text' in shown ? look.remark(math?.remark) : []}
      rehypePlugins={[
        ...('tree' in shown ? [() => () => structuredClone(shown.tree)] : []),
        ...look.rehype,
        ...(html ?? []),
        ...(math?.rehype ?? []),
      ]}
      components={look.components}
      skipHtml={isWithoutHtml}
    >
      {'text' in shown ? shown.text : ''}
    </ReactMarkdown>
  )
}

interface RichElementsProps {
  readonly shown: NonNullable<Drawable>
  readonly look: BlockRenderer
  readonly isMath: boolean
  readonly isHtml: boolean
}

function RichElements({ shown, look, isMath, isHtml }: RichElementsProps) {
  const math = isMath ? use(loadMath()) : undefined
  const html = isHtml && look.loadHtml ? use(look.loadHtml()) : []
  return <Elements shown={shown} look={look} math={math} html={html} />
}

interface MathPlugins {
  readonly remark: Plugins
  readonly rehype: Plugins
}

let math: Promise<MathPlugins> | undefined

function loadMath(): Promise<MathPlugins> {
  math ??= importMath()
  return math
}

async function importMath(): Promise<MathPlugins> {
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
}
