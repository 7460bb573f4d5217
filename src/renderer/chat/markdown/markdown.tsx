/** Markdown as an answer shows it: GFM, code, formulas, no raw HTML, citations as chips, links that leave the app. */
import { createContext, memo, Suspense, use, useContext, useMemo, type ComponentProps } from 'react'
import ReactMarkdown, { type Components, type Options } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { splitBlocks } from './blocks.ts'
import { citationHref, parseCitationHref, splitCitations } from './citation.ts'
import { CitationChip } from './citation-chip.tsx'
import { CodeBlock } from './code-block.tsx'
import { hasMath, mayHaveMath, normalizeMath } from './math.ts'

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
  pre: Preformatted,
  table: Table,
}

const plugins: Options['remarkPlugins'] = [remarkGfm, remarkCitations]

export const Markdown = memo(function Markdown({ text, agent }: { text: string; agent: string }) {
  const blocks = useMemo(() => splitBlocks(mayHaveMath(text) ? normalizeMath(text) : text), [text])
  return (
    <CitingAgent value={agent}>
      <div className="prose">
        {blocks.map((block, index) => (
          <Block key={index} text={block} />
        ))}
      </div>
    </CitingAgent>
  )
})

const Block = memo(function Block({ text }: { text: string }) {
  const plain = (
    <ReactMarkdown remarkPlugins={plugins} components={components}>
      {text}
    </ReactMarkdown>
  )
  if (!mayHaveMath(text) || !hasMath(text)) return plain
  return (
    <Suspense fallback={plain}>
      <MathBlock text={text} />
    </Suspense>
  )
})

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
    rehypePlugins: [[katex.default, { throwOnError: false, errorColor: 'currentColor', strict: false }]],
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
