/** Renders an answer: GFM, code, formulas and citations, without raw HTML. External links open in the browser. */
import { memo, useMemo, type ComponentProps } from 'react'
import { clipLine } from '#lib/util/clip.ts'
import { ErrorBoundary } from '#lib/ui/error-boundary.tsx'
import { LazyRender, useIncrementalRender } from '#lib/ui/lazy-render.tsx'
import { answerPlugins } from './answer-plugins.ts'
import { CodeBlock } from './code-block.tsx'
import { MarkdownBlock, type BlockRenderer } from './markdown-block.tsx'
import { Anchor, Preformatted, LinkContext, Table } from './markdown-elements.tsx'
import { hasMath, isCheapMath, mayHaveMath, normalizeMath } from './math.ts'
import { ListIndent } from './nested.tsx'
import { splitPortions, type Piece, type Portion } from './split-markdown.ts'
import { PlainPassage } from './plain-passage.tsx'

const look: BlockRenderer = {
  kind: 'answer',
  remark: answerPlugins,
  rehype: [],
  components: {
    a: Anchor,
    // Remote images would contact any server that an answer names, so only their names are shown.
    img: ImageName,
    pre: Preformatted,
    table: Table,
  },
}

interface MarkdownProps {
  readonly text: string
  readonly agent: string
}

/** Longer answers scroll in a frame of their own and render only the visible part. In characters. */
const longAnswer = 100_000

export const Markdown = memo(function Markdown({ text, agent }: MarkdownProps) {
  const source = useMemo(() => ({ agent, links: undefined }), [agent])
  const portions = useMemo(() => splitPortions(mayHaveMath(text) ? normalizeMath(text) : text), [text])
  const isLong = text.length > longAnswer
  const isWindowed = portions.length > 1 && isLong
  const shown = useIncrementalRender(isWindowed ? 0 : portions.length)
  return (
    <LinkContext value={source}>
      <div className={isLong ? 'prose max-h-[70vh] overflow-y-auto rounded-md border border-line px-4 py-3' : 'prose'}>
        {portions.map((portion, index) =>
          isWindowed ? (
            <LazyRender key={index} className="portion" height={heightOf(portion)}>
              <Pieces portion={portion} />
            </LazyRender>
          ) : index < shown ? (
            <Pieces key={index} portion={portion} />
          ) : (
            <div key={index} style={{ height: heightOf(portion) }} />
          ),
        )}
      </div>
    </LinkContext>
  )
})

const Pieces = memo(
  function Pieces({ portion }: { portion: Portion }) {
    return portion.pieces.map((piece, index) => (
      <ErrorBoundary key={index} piece="text" resetKey={piece.text}>
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
  return now !== undefined && before.kind === now.kind && before.text === now.text && before.depth === now.depth
}

function PieceView({ piece }: { piece: Piece }) {
  switch (piece.kind) {
    case 'markdown':
      return (
        <ListIndent depth={piece.depth}>
          <MarkdownBlock text={piece.text} look={look} isMath={isMath(piece.text)} />
        </ListIndent>
      )
    case 'code':
      return <CodeBlock code={piece.text} language={piece.language} />
    case 'plain':
      return (
        <ListIndent depth={piece.depth}>
          <PlainPassage text={piece.text} excess={piece.excess} />
        </ListIndent>
      )
  }
}

function isMath(text: string): boolean {
  return mayHaveMath(text) && hasMath(text) && isCheapMath(text)
}

/** Estimates the rendered height in px, so that the layout moves less. */
function heightOf({ characters, lines }: Portion): number {
  return Math.round(24 * Math.max(lines, characters / 80))
}

function ImageName({ alt, src }: ComponentProps<'img'>) {
  return <span className="text-muted">[{clipLine(alt || src || '')}]</span>
}
