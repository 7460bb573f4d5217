import remarkCjk from 'remark-cjk-friendly/parseOnly'
import remarkGfm from 'remark-gfm'
import type { Plugins } from '../chat/answer-plugins.ts'
import { remarkNotes } from './remark-notes.ts'
import { textNode, type MarkdownNode } from './mdast.ts'

export function notePlugins(hasLineBreaks: boolean, math: Plugins = []): Plugins {
  // One tilde is a subscript (`H~2~O`); strikethrough takes two.
  const plugins: Plugins = [[remarkGfm, { singleTilde: false }], remarkCjk, ...math, remarkNotes]
  return hasLineBreaks ? [...plugins, remarkLineBreaks] : plugins
}

export function remarkLineBreaks() {
  return (tree: MarkdownNode) => addLineBreaks(tree)
}

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
