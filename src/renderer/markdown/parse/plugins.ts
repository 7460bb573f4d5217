import type { Options } from 'react-markdown'
import remarkCjk from 'remark-cjk-friendly/parseOnly'
import remarkGfm from 'remark-gfm'
import { splitCitations, splitText } from '#shared/markdown/citation.ts'
import { citationHref, nameHref, splitWikiLinks, elementNode, linkNode, textNode, type MarkdownNode } from './mdast.ts'
import { remarkNotes } from './remark-notes.ts'

export type Plugins = NonNullable<Options['remarkPlugins']>

/** In `note-with-breaks`, a single newline renders as a line break. */
export type Syntax = 'answer' | 'note' | 'note-with-breaks'

export function remarkPlugins(syntax: Syntax, math: Plugins = []): Plugins {
  if (syntax === 'answer') return [remarkGfm, remarkCjk, ...math, () => convertLinks]
  // One tilde is a subscript (`H~2~O`); strikethrough takes two.
  const plugins: Plugins = [[remarkGfm, { singleTilde: false }], remarkCjk, ...math, remarkNotes]
  return syntax === 'note' ? plugins : [...plugins, remarkLineBreaks]
}

function convertLinks(node: MarkdownNode): void {
  if (!node.children || node.type === 'link') return
  node.children = node.children.flatMap((child) => {
    convertLinks(child)
    if (child.type !== 'text' || child.value === undefined) return [child]
    return splitWikiLinks(child.value).flatMap((part) => {
      if (typeof part !== 'string') return linkNode(nameHref(part.target), part.label)
      return splitCitations(part).flatMap((piece) =>
        typeof piece === 'string' ? splitFootnotes(piece) : linkNode(citationHref(piece), piece.path),
      )
    })
  })
}

function splitFootnotes(text: string): MarkdownNode[] {
  const parts = splitText(text, /\[\^([^[\]\s]{1,100})\]/g, ([, label = '']) =>
    elementNode('foot-note', { dataLabel: label }),
  )
  return parts.map((part) => (typeof part === 'string' ? textNode(part) : part))
}

export const remarkLineBreaks = () => addLineBreaks

function addLineBreaks(node: MarkdownNode): void {
  if (!node.children) return
  node.children = node.children.flatMap((child, index, siblings) => {
    addLineBreaks(child)
    if (child.type !== 'text' || child.value?.includes('\n') !== true) return [child]
    // An explicit break already replaces the newline.
    const value = siblings[index - 1]?.type === 'break' ? child.value.replace(/^\n/, '') : child.value
    const lines = value.split('\n').flatMap((line) => [{ type: 'break' }, ...(line === '' ? [] : [textNode(line)])])
    return lines.slice(1)
  })
}

export interface HtmlNode {
  tagName?: string
  properties?: Record<string, unknown>
  children?: HtmlNode[]
  position?: { start: { line: number } } | undefined
}

/** Adds the source line to every task's checkbox, so that a click can change that line. */
export const rehypeTaskLines = () => addTaskLines

function addTaskLines(node: HtmlNode): void {
  for (const child of node.children ?? []) {
    const classes = child.properties?.['className']
    const isTask = child.tagName === 'li' && Array.isArray(classes) && classes.includes('task-list-item')
    const first = isTask ? firstElementOf(child) : undefined
    const checkbox = first?.tagName === 'p' ? firstElementOf(first) : first
    if (checkbox && /^(?:input|task-mark)$/.test(checkbox.tagName ?? '') && child.position)
      checkbox.properties = { ...checkbox.properties, dataLine: child.position.start.line }
    addTaskLines(child)
  }
}

function firstElementOf({ children }: HtmlNode): HtmlNode | undefined {
  return children?.find(({ tagName }) => tagName !== undefined)
}

/** Marks code as left-to-right, so that it does not affect the direction of the text around it. */
export const rehypeCodeDirection = () => setCodeDirection

function setCodeDirection(node: HtmlNode): void {
  if (node.tagName === 'code') node.properties = { ...node.properties, dir: 'ltr' }
  for (const child of node.children ?? []) setCodeDirection(child)
}
