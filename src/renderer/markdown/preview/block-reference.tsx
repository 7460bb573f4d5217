import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { withoutLead } from '#shared/markdown/blocks/line-starts.ts'
import { api } from '#lib/api/client.ts'
import { paths } from '#lib/router/paths.ts'
import { clipLine } from '#lib/util/clip.ts'
import { plainTitle } from '#lib/notes/plain-title.ts'
import { useNote } from './note-context.ts'

/** Returns undefined while loading, and null if no note has this block. */
export function useBlock(id: string | undefined) {
  const { agent } = useNote()
  const input = { agent, id: id ?? '' }
  return useQuery(api.links.block.queryOptions({ input, enabled: id !== undefined, staleTime: 60_000 })).data
}

export function BlockReference({ id, label }: { id: string; label: string | undefined }) {
  const block = useBlock(id)
  if (!block) return <code className="quiet-macro">{label ?? `((${id}))`}</code>
  const title = plainTitle(withoutLead(block.text))
  return (
    <Link href={paths.file(block.path, block.line)} title={block.path} className="block-reference">
      {label ?? clipLine(title || block.path, 300)}
    </Link>
  )
}
