interface Element {
  tagName?: string
  properties?: Record<string, unknown>
  children?: Element[]
  position?: { start: { line: number } }
}

/** Adds the source line to every task's checkbox, so that a click can change that line. */
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

function boxOf(item: Element): Element | undefined {
  const first = item.children?.find(({ tagName }) => tagName !== undefined)
  if (isBox(first)) return first
  const inner = first?.tagName === 'p' ? first.children?.find(({ tagName }) => tagName !== undefined) : undefined
  return isBox(inner) ? inner : undefined
}

function isBox(element: Element | undefined): boolean {
  return element?.tagName === 'input' || element?.tagName === 'task-mark'
}
