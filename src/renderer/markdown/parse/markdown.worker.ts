/** Parses Markdown outside the UI thread: splits long documents into rows, and long rows into HTML trees. */
import Markdown from 'react-markdown'
import { parseDocument, type DocumentKind } from './parse-document.ts'
import { rehypeTaskLines, remarkPlugins, type HtmlNode, type Plugins, type Syntax } from './plugins.ts'

export interface RowRequest {
  readonly text: string
  readonly syntax: Syntax
  readonly hasMath: boolean
}

export interface DocumentRequest {
  readonly text: string
  readonly kind: DocumentKind
}

/** Laying out more nodes makes the window stutter. */
const maxNodes = 6000

async function parseRow({ text, syntax, hasMath }: RowRequest): Promise<HtmlNode | null> {
  const math: Plugins = hasMath ? [[(await import('remark-math')).default, { singleDollarTextMath: false }]] : []
  let result: HtmlNode | undefined
  Markdown({
    children: text,
    remarkPlugins: remarkPlugins(syntax, math),
    rehypePlugins: [
      rehypeTaskLines,
      () => (tree: HtmlNode) => {
        result = tree
        return { type: 'root', children: [] }
      },
    ],
  })
  return result && removePositions(result) <= maxNodes ? result : null
}

function removePositions(node: HtmlNode): number {
  delete node.position
  let count = 1
  for (const child of node.children ?? []) count += removePositions(child)
  return count
}

addEventListener('message', ({ data }: MessageEvent<(RowRequest | DocumentRequest) & { id: number }>) => {
  const answer = 'kind' in data ? Promise.try(parseDocument, data.text, data.kind) : parseRow(data)
  answer.then(
    (result) => postMessage({ id: data.id, answer: result }),
    // In a text that is nested too deeply, the parser overflows the stack.
    () => postMessage({ id: data.id, answer: null }),
  )
})

// Signals that the worker is loaded, so that the deadline starts.
postMessage({ id: 0, answer: null })
