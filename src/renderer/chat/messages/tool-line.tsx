import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { t } from 'i18next'
import { Link } from 'wouter'
import { isProposedChange } from '#shared/chat/messages.ts'
import { paths } from '#lib/router/paths.ts'
import { clipLine } from '#lib/util/clip.ts'
import { ErrorBoundary } from '#lib/ui/error-boundary.tsx'
import { formatPercent } from '#lib/i18n/format.ts'
import { useLive, type LiveTurnFollower } from '../live-turn.ts'
import { ToolResultDetails } from './tool-result-details.tsx'
import { searchOf, type ToolStep } from './turns.ts'

const knownTools = ['memory_search', 'memory_get', 'read', 'write', 'edit', 'list'] as const

interface ToolLineProps {
  readonly agent: string
  readonly step: ToolStep
  readonly isRunning: boolean
  readonly follower: LiveTurnFollower
}

export function ToolLine({ agent, step, isRunning, follower }: ToolLineProps) {
  const [isOpen, setIsOpen] = useState(false)
  const { call, result } = step
  const knownTool = knownTools.find((tool) => tool === call.name)
  const recall = searchOf(step)
  const isProposed = result !== undefined && isProposedChange(result)
  return (
    <div className="text-muted">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="inline-flex min-h-6 max-w-full flex-wrap items-center gap-x-2 rounded-sm text-left hover:text-text"
      >
        <ChevronRight size={12} aria-hidden className={`shrink-0 transition-transform ${isOpen ? 'rotate-90' : ''}`} />
        <span className="shrink-0">{knownTool ? t(`tool.${knownTool}`) : clipLine(toolLabel(call.name), 80)}</span>
        <CallSubject call={call} />
        {recall && (
          <span className="tabular shrink-0">
            · {t('tool.found', { returned: recall.results.length, candidates: recall.candidates })}
          </span>
        )}
        {isProposed && <span className="shrink-0">· {t('tool.proposed')}</span>}
        {result?.isError && !isProposed && <span className="shrink-0 text-bad">· {t('tool.failed')}</span>}
        {!result &&
          (isRunning ? <Progress call={call.id} follower={follower} /> : <span>· {t('tool.interrupted')}</span>)}
      </button>
      {isProposed && (
        <Link href={paths.inbox()} className="ml-2 text-accent hover:underline">
          {t('tool.openInbox')} →
        </Link>
      )}
      {isOpen && (
        <ErrorBoundary piece="tool" resetKey={result}>
          <ToolResultDetails agent={agent} step={step} />
        </ErrorBoundary>
      )}
    </div>
  )
}

/** Formats a tool's name: `mcp__files__read` → `files: read`. */
export function toolLabel(tool: string): string {
  return tool.replace(/^mcp__(.+?)__/, '$1: ')
}

function Progress({ call, follower }: { call: string; follower: LiveTurnFollower }) {
  const progress = useLive(follower, (turn) => turn.progress.find((candidate) => candidate.call === call))
  const share = progress?.share ?? null
  return (
    <span className="tabular flex shrink-0 items-center gap-2">
      · {progress?.note || t('tool.running')}
      {share !== null && (
        <>
          <progress max={1} value={share} className="h-1 w-24 accent-accent" />
          {formatPercent(share)}
        </>
      )}
    </span>
  )
}

function CallSubject({ call }: { call: ToolStep['call'] }) {
  const { query, path } = call.arguments
  if (typeof query === 'string') return <span className="truncate text-text">“{clipLine(query)}”</span>
  if (typeof path !== 'string' || path === '') return null
  return <span className="truncate font-mono text-[12px]">{clipLine(path)}</span>
}
