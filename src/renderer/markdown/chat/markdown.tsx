/** Renders an answer: GFM, code, formulas and citations, without raw HTML. External links open in the browser. */
import { useTranslation } from 'react-i18next'
import { memo, useMemo, type ComponentProps } from 'react'
import { clipLine } from '#lib/util/clip.ts'
import { ErrorBoundary } from '#lib/ui/error-boundary.tsx'
import { LazyRender, useIncrementalRender } from '#lib/ui/lazy-render.tsx'
import { answerPlugins } from './answer-plugins.ts'
import { MarkdownBlock, type BlockRenderer } from './markdown-block.tsx'
import { Anchor, Preformatted, LinkContext, Table } from './markdown-elements.tsx'
import { hasMath, isCheapMath, mayHaveMath, normalizeMath } from './math.ts'
import { isSamePiece, splitPortions, type Portion } from './split-markdown.ts'
import { PieceView } from './piece-view.tsx'

const answerRenderer: BlockRenderer = {
  kind: 'answer',
  remark: answerPlugins,
  rehype: [],
  components: {
    a: Anchor,
    // A remote image would contact the server that the answer names, so only the name of the image is shown.
    img: ImageName,
    pre: Preformatted,
    table: Table,
  },
}

/** Longer answers scroll in a separate frame that renders only its visible part. In characters. */
const longAnswerLength = 100_000

export const Markdown = memo(function Markdown({ text, agent }: { text: string; agent: string }) {
  useTranslation()
  const linkContext = useMemo(() => ({ agent, links: undefined }), [agent])
  const portions = useMemo(() => splitPortions(mayHaveMath(text) ? normalizeMath(text) : text), [text])
  const isLong = text.length > longAnswerLength
  const isLazy = portions.length > 1 && isLong
  const renderedCount = useIncrementalRender(isLazy ? 0 : portions.length)
  return (
    <LinkContext value={linkContext}>
      <div className={isLong ? 'prose max-h-[70vh] overflow-y-auto rounded-md border border-line px-4 py-3' : 'prose'}>
        {portions.map((portion, index) =>
          isLazy ? (
            <LazyRender key={index} className="portion" height={estimateHeight(portion)}>
              <Pieces portion={portion} />
            </LazyRender>
          ) : index < renderedCount ? (
            <Pieces key={index} portion={portion} />
          ) : (
            <div key={index} style={{ height: estimateHeight(portion) }} />
          ),
        )}
      </div>
    </LinkContext>
  )
})

const Pieces = memo(
  function Pieces({ portion }: { portion: Portion }) {
    useTranslation()
    return portion.pieces.map((piece, index) => (
      <ErrorBoundary key={index} piece="text" resetKey={piece.text}>
        <PieceView piece={piece}>
          <MarkdownBlock
            text={piece.text}
            renderer={answerRenderer}
            hasMath={mayHaveMath(piece.text) && hasMath(piece.text) && isCheapMath(piece.text)}
          />
        </PieceView>
      </ErrorBoundary>
    ))
  },
  ({ portion: previous }, { portion: next }) =>
    previous.characters === next.characters &&
    previous.pieces.length === next.pieces.length &&
    previous.pieces.every((piece, index) => isSamePiece(piece, next.pieces[index])),
)

/** Estimates the rendered height in px, so that the layout moves less. */
function estimateHeight({ characters, lines }: Portion): number {
  return Math.round(24 * Math.max(lines, characters / 80))
}

function ImageName({ alt, src }: ComponentProps<'img'>) {
  return <span className="text-muted">[{clipLine(alt || src || '')}]</span>
}
