/** Lines of memory with where they stand. */
import { Link } from 'wouter'
import type { SurveyedLine } from '#shared/contract/index.ts'
import { paths } from '#lib/router/paths.ts'
import { EmptyState } from '#lib/ui/states.tsx'

type CountedLine = SurveyedLine & { readonly recalls?: number }

interface SurveyedLinesProps {
  readonly lines: readonly CountedLine[]
  readonly hint: string
  readonly empty: string
  readonly noteOf?: (line: CountedLine) => string
}

export function SurveyedLines({ lines, hint, empty, noteOf }: SurveyedLinesProps) {
  if (lines.length === 0) return <EmptyState title={empty} />
  return (
    <>
      <p className="px-5 pb-2 text-muted">{hint}</p>
      <ul>
        {lines.map((line) => (
          <LineRow key={`${line.path}:${line.line}`} line={line} note={noteOf?.(line)} />
        ))}
      </ul>
    </>
  )
}

export function LineRow({ line: { path, line, text }, note }: { line: SurveyedLine; note?: string | undefined }) {
  return (
    <li
      data-testid="surveyed-line"
      className="flex items-baseline gap-3 px-5 py-1 [contain-intrinsic-size:auto_28px] [content-visibility:auto]"
    >
      <Link href={paths.file(path, line)} className="w-56 shrink-0 truncate font-mono text-[12px] hover:underline">
        {path}:{line}
      </Link>
      <span className="min-w-0 flex-1 truncate" title={text}>
        {text}
      </span>
      {note !== undefined && <span className="tabular shrink-0 text-[12px] text-muted">{note}</span>}
    </li>
  )
}
