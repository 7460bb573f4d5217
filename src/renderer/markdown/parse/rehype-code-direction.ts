/** Code is written from left to right, and says nothing of the direction of the words around it. */
interface Element {
  tagName?: string
  properties?: Record<string, unknown>
  children?: Element[]
}

export function rehypeCodeDirection() {
  return (tree: Element) => visit(tree)
}

function visit(node: Element): void {
  if (node.tagName === 'code') node.properties = { ...node.properties, dir: 'ltr' }
  for (const child of node.children ?? []) visit(child)
}
