import { t } from 'i18next'
import type { ReactNode } from 'react'
import { ClippedText } from '#lib/ui/clipped-text.tsx'
import { CodeBlock } from './code-block.tsx'
import type { Piece, PlainReason } from './split-markdown.ts'

interface PieceViewProps {
  readonly piece: Piece
  /** Maximum number of highlighted spans in code. */
  readonly maxSpans?: number
  /** The rendered Markdown, for a piece of this kind. */
  readonly children: ReactNode
}

/** Indentation of a list level. */
const indentEm = 1.4

export function PieceView({ piece, maxSpans, children }: PieceViewProps) {
  if (piece.kind === 'code') return <CodeBlock code={piece.text} language={piece.language} maxSpans={maxSpans} />
  const content = piece.kind === 'plain' ? <PlainPassage text={piece.text} reason={piece.reason} /> : children
  if (piece.depth === 0) return content
  return <div style={{ paddingInlineStart: `${piece.depth * indentEm}em` }}>{content}</div>
}

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
