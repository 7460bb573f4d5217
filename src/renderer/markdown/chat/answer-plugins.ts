import type { Options } from 'react-markdown'
import remarkCjk from 'remark-cjk-friendly/parseOnly'
import remarkGfm from 'remark-gfm'
import { splitCitations } from '#shared/markdown/citation.ts'
import { citationHref } from './citation.ts'
import { linkNode, textNode, type MarkdownNode } from '../parse/mdast.ts'
import { nameHref, splitWikiLinks } from './wiki-link.ts'

export type Plugins = NonNullable<Options['remarkPlugins']>

export function answerPlugins(math: Plugins = []): Plugins {
  return [remarkGfm, remarkCjk, ...math, remarkAnswerLinks]
}

function remarkAnswerLinks() {
  return (tree: MarkdownNode) => convertLinks(tree)
}

function convertLinks(node: MarkdownNode): void {
  if (!node.children || node.type === 'link') return
  node.children = node.children.flatMap((child) => {
    convertLinks(child)
    if (child.type !== 'text' || child.value === undefined) return [child]
    return splitWikiLinks(child.value).flatMap((part) =>
      typeof part === 'string' ? parseCitations(part) : [linkNode(nameHref(part.target), part.label)],
    )
  })
}

function parseCitations(text: string): MarkdownNode[] {
  return splitCitations(text).map((part) =>
    typeof part === 'string' ? textNode(part) : linkNode(citationHref(part), part.path),
  )
}
