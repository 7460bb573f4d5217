import type { ReactNode } from 'react'

/** Indentation of a list level. */
const indentEm = 1.4

export function ListIndent({ depth, children }: { depth: number; children: ReactNode }) {
  if (depth === 0) return children
  return <div style={{ paddingInlineStart: `${depth * indentEm}em` }}>{children}</div>
}
