/** A hast node. */
export interface HtmlElement {
  tagName?: string
  properties?: Record<string, unknown>
  children?: HtmlElement[]
  position?: { start: { line: number } }
}

/** Adds the source line to every task's checkbox, so that a click can change that line. */
export function rehypeTaskLines() {
  return (tree: HtmlElement) => addTaskLines(tree)
}

function addTaskLines(node: HtmlElement): void {
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

function firstElementOf({ children }: HtmlElement): HtmlElement | undefined {
  return children?.find(({ tagName }) => tagName !== undefined)
}
