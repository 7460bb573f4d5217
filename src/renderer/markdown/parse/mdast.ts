/** The part of mdast that the plugins use, with the `data` that controls the conversion to hast. */
export interface MarkdownNode {
  type: string
  value?: string
  url?: string
  alt?: string | null
  title?: string | null
  /** Label of a reference, as written. */
  label?: string | null
  lang?: string | null
  checked?: boolean | null
  children?: MarkdownNode[]
  data?: { hName?: string; hProperties?: Record<string, unknown> }
  position?: unknown
}

export function textNode(value: string): MarkdownNode {
  return { type: 'text', value }
}

export function linkNode(url: string, label: string): MarkdownNode {
  return { type: 'link', url, children: [textNode(label)] }
}

/** Creates a node that renders as a custom element (`preview-elements.tsx`). */
export function elementNode(
  name: string,
  properties: Record<string, unknown>,
  children: MarkdownNode[] = [],
): MarkdownNode {
  return { type: name, children, data: { hName: name, hProperties: properties } }
}

/** Returns the text of a node and its children. */
export function nodeText(node: MarkdownNode): string {
  return node.value ?? node.alt ?? (node.children ?? []).map(nodeText).join('')
}
