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
    const checkbox = isTask ? checkboxOf(child) : undefined
    if (checkbox && child.position)
      checkbox.properties = { ...checkbox.properties, dataLine: child.position.start.line }
    addTaskLines(child)
  }
}

function checkboxOf(item: HtmlElement): HtmlElement | undefined {
  const first = item.children?.find(({ tagName }) => tagName !== undefined)
  if (isCheckbox(first)) return first
  const inParagraph = first?.tagName === 'p' ? first.children?.find(({ tagName }) => tagName !== undefined) : undefined
  return isCheckbox(inParagraph) ? inParagraph : undefined
}

function isCheckbox(element: HtmlElement | undefined): boolean {
  return element?.tagName === 'input' || element?.tagName === 'task-mark'
}
