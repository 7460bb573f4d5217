import Markdown from 'react-markdown'
import { answerPlugins } from '../chat/answer-plugins.ts'
import { notePlugins } from './note-plugins.ts'
import { rehypeTaskLines } from './rehype-task-lines.ts'

export type MarkdownKind = 'answer' | 'note' | 'note-with-breaks'

export interface MarkdownRequest {
  readonly text: string
  readonly kind: MarkdownKind
  readonly hasMath: boolean
}

/** A hast node. */
export interface HtmlTree {
  readonly type: string
  readonly children?: HtmlTree[]
  position?: unknown
}

/** Laying out more nodes makes the window stutter. */
const maxNodes = 6000

async function parse({ text, kind, hasMath }: MarkdownRequest): Promise<HtmlTree | null> {
  const math = hasMath ? await import('remark-math') : undefined
  const remarkMath = math ? [[math.default, { singleDollarTextMath: false }] as [typeof math.default, object]] : []
  let result: HtmlTree | undefined
  Markdown({
    children: text,
    remarkPlugins: kind === 'answer' ? answerPlugins(remarkMath) : notePlugins(kind === 'note-with-breaks', remarkMath),
    rehypePlugins: [
      rehypeTaskLines,
      // Takes the tree and leaves nothing to render.
      () => (tree: HtmlTree) => {
        result = tree
        return { type: 'root', children: [] }
      },
    ],
  })
  return result && removePositions(result) <= maxNodes ? result : null
}

/** Removes the source positions. @returns the number of nodes */
function removePositions(node: HtmlTree): number {
  delete node.position
  let count = 1
  for (const child of node.children ?? []) count += removePositions(child)
  return count
}

addEventListener('message', ({ data: { id, ...request } }: MessageEvent<MarkdownRequest & { id: number }>) => {
  parse(request).then(
    (answer) => postMessage({ id, answer }),
    // In a text that is nested too deeply, the parser overflows the stack.
    () => postMessage({ id, answer: null }),
  )
})

// Signals that the worker is loaded, so that the deadline starts.
postMessage({ id: 0, answer: null })
