/** The tree of Markdown, as far as notes change it (mdast, with what tells hast how to draw a node). */
export interface MarkdownNode {
  type: string
  value?: string
  url?: string
  alt?: string | null
  title?: string | null
  /** Of a reference, as it is written. */
  label?: string | null
  /** Of code. */
  lang?: string | null
  checked?: boolean | null
  children?: MarkdownNode[]
  data?: { hName?: string; hProperties?: Record<string, unknown> }
  position?: unknown
}

export function textNode(value: string): MarkdownNode {
  return { type: 'text', value }
}

/** Drawn as an element of our own (`elements.tsx`). */
export function elementNode(
  name: string,
  properties: Record<string, unknown>,
  children: MarkdownNode[] = [],
): MarkdownNode {
  return { type: name, children, data: { hName: name, hProperties: properties } }
}

/** All that stands in a node, as text. */
export function plainText(node: MarkdownNode): string {
  return node.value ?? node.alt ?? (node.children ?? []).map(plainText).join('')
}
