/** Markdown as an answer shows it: GFM, no raw HTML, citations as chips, links that leave the app. */
import { memo } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { citationHref, parseCitationHref, splitCitations } from './citation.ts'
import { CitationChip } from './citation-chip.tsx'

interface MarkdownNode {
  type: string
  value?: string
  url?: string
  children?: MarkdownNode[]
}

export const Markdown = memo(function Markdown({ text, agent }: { text: string; agent: string }) {
  const components: Components = {
    a({ href, children }) {
      const citation = parseCitationHref(href)
      if (citation) return <CitationChip agent={agent} citation={citation} />
      return (
        <a href={href} target="_blank" rel="noreferrer">
          {children}
        </a>
      )
    },
    // Pictures would be fetched from anywhere; an answer may name them, not load them.
    img: ({ alt, src }) => <span className="text-muted">[{alt || src}]</span>,
  }
  return (
    <div className="prose">
      <ReactMarkdown remarkPlugins={[remarkGfm, remarkCitations]} components={components}>
        {text}
      </ReactMarkdown>
    </div>
  )
})

function remarkCitations() {
  return (tree: MarkdownNode) => replaceIn(tree)
}

function replaceIn(node: MarkdownNode): void {
  if (!node.children || node.type === 'link') return
  node.children = node.children.flatMap((child) => {
    replaceIn(child)
    if (child.type !== 'text' || child.value === undefined) return [child]
    return splitCitations(child.value).map((part) =>
      typeof part === 'string'
        ? { type: 'text', value: part }
        : { type: 'link', url: citationHref(part), children: [{ type: 'text', value: part.path }] },
    )
  })
}
