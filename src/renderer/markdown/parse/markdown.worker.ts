import Markdown from 'react-markdown'
import { answerPlugins } from '../chat/answer-plugins.ts'
import { notePlugins } from './note-plugins.ts'
import { rehypeTaskLines } from './rehype-task-lines.ts'

export type MarkdownKind = 'answer' | 'note' | 'note-with-breaks'

export interface MarkdownRequest {
  readonly text: string
  readonly kind: MarkdownKind
  readonly isMath: boolean
}

/** A hast node. */
export interface HtmlTree {
  readonly type: string
  readonly children?: HtmlTree[]
  position?: unknown
}

/** Laying out more nodes makes the window stutter. */
const maxNodes = 6000

async function parse({ text, kind, isMath }: MarkdownRequest): Promise<HtmlTree | null> {
  const math = isMath ? await import('remark-math') : undefined
  const remarkMath = math ? [[math.default, { singleDollarTextMath: false }] as [typeof math.default, object]] : []
  let found: HtmlTree | undefined
  Markdown({
    children: text,
    remarkPlugins: kind === 'answer' ? answerPlugins(remarkMath) : notePlugins(kind === 'note-with-breaks', remarkMath),
    rehypePlugins: [
      rehypeTaskLines,
      () => (tree: HtmlTree) => {
        found = tree
        return { type: 'root', children: [] }
      },
    ],
  })
  return found && withoutPositions(found) <= maxNodes ? found : null
}

function withoutPositions(node: HtmlTree): number {
  delete node.position
  let count = 1
  for (const child of node.children ?? []) count += withoutPositions(child)
  return count
}

addEventListener('message', ({ data: { id, ...question } }: MessageEvent<MarkdownRequest & { id: number }>) => {
  parse(question).then(
    (answer) => postMessage({ id, answer }),
    // Nested too deeply: the parser has overflowed the stack.
    () => postMessage({ id, answer: null }),
  )
})

// Signals that the worker is loaded: the deadline counts from here.
postMessage({ id: 0, answer: null })
