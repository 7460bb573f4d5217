/** One row of a note, drawn. */
import { memo, Suspense, use, useMemo } from 'react'
import ReactMarkdown, { type Options } from 'react-markdown'
import remarkCjk from 'remark-cjk-friendly/parseOnly'
import remarkGfm from 'remark-gfm'
import { CodeBlock } from '../chat/code-block.tsx'
import { loadMath } from '../chat/load-math.ts'
import { hasMath, isCheapMath } from '../chat/math.ts'
import { Nested } from '../chat/nested.tsx'
import { PlainPassage } from '../chat/plain-passage.tsx'
import { ErrorBoundary } from '#lib/ui/error-boundary.tsx'
import { components } from './preview-elements.tsx'
import type { Row } from '../parse/parse-document.ts'
import type { rehypeHtml } from '../parse/rehype-html.ts'
import { normalizeFormulas } from '../parse/formulas.ts'
import { RowLine, useNote } from './note-context.ts'
import { Properties } from './properties.tsx'
import { rehypeCodeDirection } from '../parse/rehype-code-direction.ts'
import { rehypeTaskLines } from '../parse/rehype-task-lines.ts'
import { remarkLineBreaks } from '../parse/remark-line-breaks.ts'
import { remarkNotes } from '../parse/remark-notes.ts'
import type { ShownRow } from '../parse/preview-rows.ts'

/** `H~2~O` strikes nothing through: it takes two. */
const remarkGfmNotes: [typeof remarkGfm, { singleTilde: boolean }] = [remarkGfm, { singleTilde: false }]
const remarkPlugins: Options['remarkPlugins'] = [remarkGfmNotes, remarkCjk, remarkNotes]
const breakingPlugins: Options['remarkPlugins'] = [...remarkPlugins, remarkLineBreaks]
const rehypePlugins: Options['rehypePlugins'] = [rehypeTaskLines, rehypeCodeDirection]
/** As much coloured as one row may hold. */
const maxSpans = 900

export const RowView = memo(function RowView({ shown }: { shown: ShownRow }) {
  const { lineOf } = useNote()
  const { text } = shown.row
  // A formula that was given lines of its own has moved those behind it.
  const isExact = useMemo(() => countLines(normalizeFormulas(text)) === countLines(text), [text])
  const toLine = useMemo(
    () => (line: number) => (isExact ? lineOf(shown) + line - 1 : undefined),
    [lineOf, shown, isExact],
  )
  return (
    <RowLine value={toLine}>
      <ErrorBoundary piece="text" of={shown.row.text}>
        <RowText row={shown.row} />
      </ErrorBoundary>
    </RowLine>
  )
})

function countLines(text: string): number {
  return text.split('\n').length
}

export function RowText({ row }: { row: Row }) {
  switch (row.kind) {
    case 'markdown':
      return (
        <Nested depth={row.depth}>
          <Block text={row.text} />
        </Nested>
      )
    case 'code':
      return <CodeBlock code={row.text} language={row.language} maxSpans={maxSpans} />
    case 'plain':
      return (
        <Nested depth={row.depth}>
          <PlainPassage text={row.text} excess={row.excess} />
        </Nested>
      )
    case 'properties':
      return <Properties matter={row.text} />
    case 'footnote':
      return <Footnote text={row.text} label={row.label} />
  }
}

const Block = memo(function Block({ text }: { text: string }) {
  const { hasLineBreaks } = useNote()
  const normalized = normalizeFormulas(text)
  const isMath = (normalized !== text || text.includes('$$')) && hasMath(normalized) && isCheapMath(normalized)
  const isHtml = /<\/?[a-z]/i.test(text)
  const plain = (
    <ReactMarkdown
      remarkPlugins={hasLineBreaks ? breakingPlugins : remarkPlugins}
      rehypePlugins={rehypePlugins}
      components={components}
      skipHtml={isHtml}
    >
      {normalized}
    </ReactMarkdown>
  )
  if (!isMath && !isHtml) return plain
  return (
    <Suspense fallback={plain}>
      <RichBlock text={normalized} isMath={isMath} isHtml={isHtml} />
    </Suspense>
  )
})

interface RichBlockProps {
  readonly text: string
  readonly isMath: boolean
  readonly isHtml: boolean
}

/** Formulas and HTML need libraries that are loaded when the first of them is read. */
function RichBlock({ text, isMath, isHtml }: RichBlockProps) {
  const math = isMath ? use(loadMath()) : undefined
  const html = isHtml ? use(loadHtml()) : undefined
  const { hasLineBreaks } = useNote()
  return (
    <ReactMarkdown
      remarkPlugins={[
        remarkGfmNotes,
        remarkCjk,
        ...(math?.remark ?? []),
        remarkNotes,
        ...(hasLineBreaks ? [remarkLineBreaks] : []),
      ]}
      rehypePlugins={[rehypeTaskLines, rehypeCodeDirection, ...(html ? [html] : []), ...(math?.rehype ?? [])]}
      components={components}
    >
      {text}
    </ReactMarkdown>
  )
}

let html: Promise<typeof rehypeHtml> | undefined

function loadHtml(): Promise<typeof rehypeHtml> {
  html ??= import('../parse/rehype-html.ts').then((loaded) => loaded.rehypeHtml)
  return html
}

function Footnote({ text, label }: { text: string; label: string }) {
  const { footnotes } = useNote()
  return (
    <div className="footnote" id={`footnote-${label}`}>
      <span className="footnote-number">{footnotes.get(label)}</span>
      <div className="min-w-0 flex-1">
        <Block text={text} />
      </div>
    </div>
  )
}
