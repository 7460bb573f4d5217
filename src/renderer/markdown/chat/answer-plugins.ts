import type { Options } from 'react-markdown'
import remarkCjk from 'remark-cjk-friendly/parseOnly'
import remarkGfm from 'remark-gfm'
import { splitCitations } from '#shared/markdown/citation.ts'
import { citationHref } from './citation.ts'
import { nameHref, splitWikiLinks, type NamedLink } from './wiki-link.ts'

interface MarkdownNode {
  type: string
  value?: string
  url?: string
  children?: MarkdownNode[]
}

type Plugins = NonNullable<Options['remarkPlugins']>

export function answerPlugins(math: Plugins = []): Plugins {
  return [remarkGfm, remarkCjk, ...math, remarkAnswerLinks]
}

function remarkAnswerLinks() {
  return (tree: MarkdownNode) => convertLinks(tree)
}

/** Replaces wikilinks and citations in the text of a node by links. */
function convertLinks(node: MarkdownNode): void {
  if (!node.children || node.type === 'link') return
  node.children = node.children.flatMap((child) => {
    convertLinks(child)
    if (child.type !== 'text' || child.value === undefined) return [child]
    return splitWikiLinks(child.value).flatMap((part) =>
      typeof part === 'string' ? parseCitations(part) : [wikiLinkNode(part)],
    )
  })
}

function parseCitations(text: string): MarkdownNode[] {
  return splitCitations(text).map((part) =>
    typeof part === 'string'
      ? { type: 'text', value: part }
      : { type: 'link', url: citationHref(part), children: [{ type: 'text', value: part.path }] },
  )
}

function wikiLinkNode({ target, label }: NamedLink): MarkdownNode {
  return { type: 'link', url: nameHref(target), children: [{ type: 'text', value: label }] }
}
