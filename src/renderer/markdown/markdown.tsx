/** Markdown as an answer shows it: GFM, code, formulas, no raw HTML, citations as chips, links that leave the app. */
import { createContext, memo, Suspense, use, useContext, useMemo, type ComponentProps, type MouseEvent } from 'react'
import ReactMarkdown, { type Components, type Options } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { clipLine } from '../ui/clip.ts'
import { ClippedText } from '../ui/clipped-text.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { InSight, useGradually } from '../ui/in-sight.tsx'
import { paths } from '../navigate.ts'
import { parseCitationHref } from './citation.ts'
import { CitationChip } from './citation-chip.tsx'
import { CodeBlock } from './code-block.tsx'
import { decodeTarget, parseNameHref } from './named-link.ts'
import type { Excess } from './cost.ts'
import { hasMath, isCheapMath, mayHaveMath, normalizeMath } from './math.ts'
import { portionsOf, type Piece, type Portion } from './pieces.ts'
import { remarkCitations } from './remark-citations.ts'

/** Where links of a file lead. @see ../links/use-note-links.ts */
export interface NoteLinks {
  /** The path that a link leads to; undefined for nowhere. `target` has its fragment. */
  readonly resolve: (kind: 'wiki' | 'inline', target: string) => string | undefined
  /** Goes to the heading or block that a link names, or to where its note can be made. */
  readonly open: (kind: 'wiki' | 'inline', target: string) => void
}

/** Whose files the citations name, and where links between files lead. */
const Source = createContext<{ agent: string; links: NoteLinks | undefined }>({ agent: '', links: undefined })

const components: Components = {
  a: Anchor,
  // Pictures would be fetched from anywhere; an answer may name them, not load them.
  img: ImageName,
  pre: Preformatted,
  table: Table,
}

const plugins: Options['remarkPlugins'] = [remarkGfm, remarkCitations]

interface MarkdownProps {
  readonly text: string
  readonly agent: string
  /** For a text that is a file. */
  readonly links?: NoteLinks
  /** It has a window of its own, of which it is the only content. */
  readonly isDocument?: boolean
}

/** Characters from which an answer has a frame of its own to scroll in, and only what is in sight is drawn. */
const longAnswer = 100_000

export const Markdown = memo(function Markdown({ text, agent, links, isDocument = false }: MarkdownProps) {
  const source = useMemo(() => ({ agent, links }), [agent, links])
  const portions = useMemo(() => portionsOf(mayHaveMath(text) ? normalizeMath(text) : text), [text])
  const isLong = text.length > longAnswer
  const isWindowed = portions.length > 1 && (isDocument || isLong)
  const shown = useGradually(isWindowed ? 0 : portions.length)
  return (
    <Source value={source}>
      <div
        className={
          isLong && !isDocument ? 'prose max-h-[70vh] overflow-y-auto rounded-md border border-line px-4 py-3' : 'prose'
        }
      >
        {portions.map((portion, index) =>
          isWindowed ? (
            <InSight key={index} className="portion" height={heightOf(portion)}>
              <Pieces portion={portion} />
            </InSight>
          ) : index < shown ? (
            <Pieces key={index} portion={portion} />
          ) : (
            <div key={index} style={{ height: heightOf(portion) }} />
          ),
        )}
      </div>
    </Source>
  )
})

const Pieces = memo(
  function Pieces({ portion }: { portion: Portion }) {
    return portion.pieces.map((piece, index) => (
      <ErrorBoundary key={index} piece="text" of={piece.text}>
        <PieceView piece={piece} />
      </ErrorBoundary>
    ))
  },
  ({ portion: before }, { portion: now }) =>
    before.characters === now.characters &&
    before.pieces.length === now.pieces.length &&
    before.pieces.every((piece, index) => isSame(piece, now.pieces[index])),
)

function isSame(before: Piece, now: Piece | undefined): boolean {
  return now !== undefined && before.kind === now.kind && before.text === now.text
}

function PieceView({ piece }: { piece: Piece }) {
  switch (piece.kind) {
    case 'markdown':
      return <Block text={piece.text} />
    case 'code':
      return <CodeBlock code={piece.text} language={piece.language} />
    case 'plain':
      return <PlainPassage text={piece.text} excess={piece.excess} />
  }
}

const Block = memo(function Block({ text }: { text: string }) {
  const plain = (
    <ReactMarkdown remarkPlugins={plugins} components={components}>
      {text}
    </ReactMarkdown>
  )
  if (!mayHaveMath(text) || !hasMath(text) || !isCheapMath(text)) return plain
  return (
    <Suspense fallback={plain}>
      <MathBlock text={text} />
    </Suspense>
  )
})

/** What would take too long to draw as Markdown, as it was written. */
function PlainPassage({ text, excess }: { text: string; excess: Excess }) {
  const { t } = useTranslation()
  return (
    <figure className="my-3 overflow-hidden rounded-sm border border-line" data-testid="plain">
      <figcaption className="border-b border-line bg-side px-3 py-1 text-[12px] text-muted">
        {t(`plain.${excess}`)}
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

/** Formulas need a large library: it comes when the first formula does, and until then they stand as written. */
let loadingMath: Promise<Pick<Options, 'remarkPlugins' | 'rehypePlugins'>> | undefined

async function loadMath(): Promise<Pick<Options, 'remarkPlugins' | 'rehypePlugins'>> {
  const [math, katex] = await Promise.all([
    import('remark-math'),
    import('rehype-katex'),
    import('katex/dist/katex.min.css'),
  ])
  return {
    remarkPlugins: [remarkGfm, [math.default, { singleDollarTextMath: false }], remarkCitations],
    // A formula that is wrong, or not complete yet, is shown as it was written.
    rehypePlugins: [
      [katex.default, { throwOnError: false, errorColor: 'currentColor', strict: false, maxSize: 30, maxExpand: 200 }],
    ],
  }
}

function MathBlock({ text }: { text: string }) {
  loadingMath ??= loadMath()
  const { remarkPlugins, rehypePlugins } = use(loadingMath)
  return (
    <ReactMarkdown remarkPlugins={remarkPlugins ?? []} rehypePlugins={rehypePlugins ?? []} components={components}>
      {text}
    </ReactMarkdown>
  )
}

/** About as high as it will be, px: what stands below it moves less when it is drawn. */
function heightOf({ characters, lines }: Portion): number {
  return Math.round(24 * Math.max(lines, characters / 80))
}

function Preformatted({ children }: ComponentProps<'pre'>) {
  const code = codeOf(children)
  return code ? <CodeBlock code={code.text} language={code.language} /> : <pre>{children}</pre>
}

/** The one `code` element that Markdown puts into a `pre`. */
function codeOf(children: unknown): { text: string; language: string } | undefined {
  if (typeof children !== 'object' || children === null || !('props' in children)) return undefined
  const { children: text, className = '' } = children.props as { children?: unknown; className?: string }
  if (typeof text !== 'string') return undefined
  const language = /language-([\w#+-]+)/.exec(className)?.[1] ?? ''
  return { text: text.replace(/\n$/, ''), language: language.toLowerCase() }
}

/** Wide tables scroll by themselves. */
function Table({ children }: ComponentProps<'table'>) {
  return (
    <div className="overflow-x-auto" tabIndex={0}>
      <table>{children}</table>
    </div>
  )
}

function Anchor({ href, children }: ComponentProps<'a'>) {
  const { agent, links } = useContext(Source)
  const { t } = useTranslation()
  const citation = parseCitationHref(href)
  if (citation) return <CitationChip agent={agent} citation={citation} />
  const name = parseNameHref(href)
  const kind = name === undefined ? 'inline' : 'wiki'
  const target = name ?? decodeTarget(href)
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

function ImageName({ alt, src }: ComponentProps<'img'>) {
  return <span className="text-muted">[{clipLine(alt || src || '')}]</span>
}
