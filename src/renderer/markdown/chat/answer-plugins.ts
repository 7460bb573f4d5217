import type { Options } from 'react-markdown'
import remarkCjk from 'remark-cjk-friendly/parseOnly'
import remarkGfm from 'remark-gfm'
import { splitCitations } from '#shared/markdown/citation.ts'
import { citationHref } from './citation.ts'
import { linkNode, textNode, type MarkdownNode } from '../parse/mdast.ts'
import { nameHref, splitWikiLinks } from './wiki-link.ts'

export type Plugins = NonNullable<Options['remarkPlugins']>

export function answerPlugins(math: Plugins = []): Plugins {
  return [remarkGfm, remarkCjk, ...math, () => convertLinks]
}

function convertLinks(node: MarkdownNode): void {
  if (!node.children || node.type === 'link') return
  node.children = node.children.flatMap((child) => {
    convertLinks(child)
    if (child.type !== 'text' || child.value === undefined) return [child]
    return splitWikiLinks(child.value).flatMap((part) => {
      if (typeof part !== 'string') return linkNode(nameHref(part.target), part.label)
      return splitCitations(part).map((piece) =>
        typeof piece === 'string' ? textNode(piece) : linkNode(citationHref(piece), piece.path),
      )
    })
  })
}
