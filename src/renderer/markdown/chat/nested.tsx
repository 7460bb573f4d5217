import type { ReactNode } from 'react'

/** Indentation of each list level, em. */
const step = 1.4

export function ListIndent({ depth, children }: { depth: number; children: ReactNode }) {
  if (depth === 0) return children
  return <div style={{ paddingInlineStart: `${depth * step}em` }}>{children}</div>
}
