import type { ReactNode } from 'react'

/** What a list is further in than what it stands in, em. */
const step = 1.4

export function Nested({ depth, children }: { depth: number; children: ReactNode }) {
  if (depth === 0) return children
  return <div style={{ paddingInlineStart: `${depth * step}em` }}>{children}</div>
}
