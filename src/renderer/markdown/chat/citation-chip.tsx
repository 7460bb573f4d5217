import { PreviewCard } from '@base-ui/react/preview-card'
import { useQuery } from '@tanstack/react-query'
import { use } from 'react'
import { useLocation } from 'wouter'
import { api } from '#lib/api/client.ts'
import { explainError } from '#lib/feedback/explain.ts'
import { clipLine } from '#lib/util/clip.ts'
import { ErrorBoundary } from '#lib/ui/error-boundary.tsx'
import { paths } from '#lib/router/paths.ts'
import { Asked } from '../citations/query-context.ts'
import { HitActions } from '../citations/hit-actions.tsx'
import { usePlaceNames } from '../citations/place-name.ts'
import type { LinkedPlace } from './citation.ts'

/** Lines shown around the cited one. */
const linesAround = 3

export function CitationChip({ agent, citation }: { agent: string; citation: LinkedPlace }) {
  const [, navigate] = useLocation()
  const href = paths.source(citation.path, citation.line)
  const asked = use(Asked)
  const title = usePlaceNames(agent).chatTitle(citation.path)
  return (
    <PreviewCard.Root>
      <PreviewCard.Trigger
        href={href}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey) return
          event.preventDefault()
          navigate(href)
        }}
        className="mx-0.5 rounded-[5px] bg-accent-wash px-1.5 py-0.5 font-mono text-[12px] text-accent no-underline! hover:brightness-95"
      >
        {title ?? `${clipLine(citation.path, 200)}${citation.line === undefined ? '' : `:${citation.line}`}`}
      </PreviewCard.Trigger>
      <PreviewCard.Portal>
        <PreviewCard.Positioner sideOffset={6} align="start">
          <PreviewCard.Popup className="z-50 w-[420px] rounded-md border border-line bg-raised p-3 text-[12px] shadow-float">
            <ErrorBoundary piece="preview" of={citation.path}>
              <Preview agent={agent} citation={citation} />
              <HitActions agent={agent} place={{ path: citation.path, line: citation.line ?? 1 }} query={asked} />
            </ErrorBoundary>
          </PreviewCard.Popup>
        </PreviewCard.Positioner>
      </PreviewCard.Portal>
    </PreviewCard.Root>
  )
}

function Preview({ agent, citation: { path, line = 1 } }: { agent: string; citation: LinkedPlace }) {
  const file = useQuery(api.workspace.read.queryOptions({ input: { agent, path } }))
  if (file.error) return <p className="text-muted">{explainError(file.error)}</p>
  const lines = file.data?.text.split('\n') ?? []
  const first = Math.max(1, line - linesAround)
  return (
    <ol className="font-mono">
      {lines.slice(first - 1, line + linesAround).map((text, index) => (
        <li key={index} className={`flex gap-3 ${first + index === line ? 'bg-found' : ''}`}>
          <span className="w-6 shrink-0 text-right text-muted tabular">{first + index}</span>
          <span className="min-w-0 break-words whitespace-pre-wrap">{clipLine(text)}</span>
        </li>
      ))}
    </ol>
  )
}
