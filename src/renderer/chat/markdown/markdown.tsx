/** Markdown as an answer shows it: GFM, code, formulas, no raw HTML, citations as chips, links that leave the app. */
import { createContext, memo, Suspense, use, useContext, useMemo, type ComponentProps } from 'react'
import ReactMarkdown, { type Components, type Options } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { Link } from 'wouter'
import { splitCitations } from '../../../shared/citation.ts'
import { paths } from '../../ui/navigate.ts'
import { splitBlocks } from './blocks.ts'
import { citationHref, parseCitationHref } from './citation.ts'
import { CitationChip } from './citation-chip.tsx'
import { CodeBlock } from './code-block.tsx'
import { decodeTarget, nameHref, parseNameHref, splitNames, type NamedLink } from './named-link.ts'
import { hasMath, mayHaveMath, normalizeMath } from './math.ts'

interface MarkdownNode {
  type: string
  value?: string
  url?: string
  children?: MarkdownNode[]
}

/** A link of a file to another one → its path; undefined when there is none. */
type ResolveLink = (target: string) => string | undefined

/** Whose files the citations name, and where links between files lead. */
const Source = createContext<{ agent: string; resolve: ResolveLink | undefined }>({ agent: '', resolve: undefined })

const components: Components = {
  a: Anchor,
  // Pictures would be fetched from anywhere; an answer may name them, not load them.
  img: ImageName,
  pre: Preformatted,
  table: Table,
}

const plugins: Options['remarkPlugins'] = [remarkGfm, remarkCitations]

interface MarkdownProps {
  readonly text: string
  readonly agent: string
  /** For a text that is a file. */
  readonly resolve?: ResolveLink
}

export const Markdown = memo(function Markdown({ text, agent, resolve }: MarkdownProps) {
  const source = useMemo(() => ({ agent, resolve }), [agent, resolve])
  const blocks = useMemo(() => splitBlocks(mayHaveMath(text) ? normalizeMath(text) : text), [text])
  return (
    <Source value={source}>
      <div className="prose">
        {blocks.map((block, index) => (
          <Block key={index} text={block} />
        ))}
      </div>
    </Source>
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
  const { agent, resolve } = useContext(Source)
  const citation = parseCitationHref(href)
  if (citation) return <CitationChip agent={agent} citation={citation} />
  const target = parseNameHref(href)
  const path = resolve?.(target ?? decodeTarget(href))
  if (path !== undefined) return <Link href={paths.file(path)}>{children}</Link>
  if (target !== undefined) return <span className="text-muted">[[{children}]]</span>
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
    return splitNames(child.value).flatMap((part) =>
      typeof part === 'string' ? withCitations(part) : [nameLink(part)],
    )
  })
}

function withCitations(text: string): MarkdownNode[] {
  return splitCitations(text).map((part) =>
    typeof part === 'string'
      ? { type: 'text', value: part }
      : { type: 'link', url: citationHref(part), children: [{ type: 'text', value: part.path }] },
  )
}

function nameLink({ target, label }: NamedLink): MarkdownNode {
  return { type: 'link', url: nameHref(target), children: [{ type: 'text', value: label }] }
}
