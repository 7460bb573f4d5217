/** Tells every box of a task the line that it stands in: whoever ticks it changes that line. */
interface Element {
  tagName?: string
  properties?: Record<string, unknown>
  children?: Element[]
  position?: { start: { line: number } }
}

export function rehypeTaskLines() {
  return (tree: Element) => visit(tree)
}

function visit(node: Element): void {
  for (const child of node.children ?? []) {
    const classes = child.properties?.['className']
    const isTask = child.tagName === 'li' && Array.isArray(classes) && classes.includes('task-list-item')
    const box = isTask ? boxOf(child) : undefined
    if (box && child.position) box.properties = { ...box.properties, dataLine: child.position.start.line }
    visit(child)
  }
}

/** The item's own: first in it, or in its first paragraph. */
function boxOf(item: Element): Element | undefined {
  const first = item.children?.find(({ tagName }) => tagName !== undefined)
  if (isBox(first)) return first
  const inner = first?.tagName === 'p' ? first.children?.find(({ tagName }) => tagName !== undefined) : undefined
  return isBox(inner) ? inner : undefined
}

function isBox(element: Element | undefined): boolean {
  return element?.tagName === 'input' || element?.tagName === 'task-mark'
}
