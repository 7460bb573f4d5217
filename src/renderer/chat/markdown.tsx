/** Markdown as an answer shows it: GFM, no raw HTML, citations as chips, links that leave the app. */
import { createContext, memo, useContext, type ComponentProps } from 'react'
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

/** Whose files the citations name. */
const CitingAgent = createContext('')

const components: Components = {
  a: Anchor,
  // Pictures would be fetched from anywhere; an answer may name them, not load them.
  img: ImageName,
}

const plugins = [remarkGfm, remarkCitations]

export const Markdown = memo(function Markdown({ text, agent }: { text: string; agent: string }) {
  return (
    <CitingAgent value={agent}>
      <div className="prose">
        <ReactMarkdown remarkPlugins={plugins} components={components}>
          {text}
        </ReactMarkdown>
      </div>
    </CitingAgent>
  )
})

function Anchor({ href, children }: ComponentProps<'a'>) {
  const agent = useContext(CitingAgent)
  const citation = parseCitationHref(href)
  if (citation) return <CitationChip agent={agent} citation={citation} />
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {children}
    </a>
  )
}

function ImageName({ alt, src }: ComponentProps<'img'>) {
  return <span className="text-muted">[{alt || src}]</span>
}

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
