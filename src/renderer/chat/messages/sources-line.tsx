/** Under an answer: from how many memories it came; opened, each of them with its bar, and what can be said about it. */
import { ChevronRight } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Hit } from '../../search/hit.tsx'
import { ErrorBoundary } from '#lib/ui/error-boundary.tsx'
import { sourcesOf } from './sources.ts'
import type { Turn } from './turns.ts'

export function SourcesLine({ agent, turn }: { agent: string; turn: Turn }) {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(false)
  const sources = useMemo(() => sourcesOf(turn), [turn])
  if (sources.length === 0) return null
  const used = sources.filter(({ isUsed }) => isUsed).length
  return (
    <div data-testid="sources">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex min-h-6 items-center gap-1.5 rounded-sm text-[12px] text-muted hover:text-text"
      >
        <ChevronRight size={12} aria-hidden className={`transition-transform ${isOpen ? 'rotate-90' : ''}`} />
        {used > 0 ? t('chat.fromMemories', { count: used }) : t('chat.noneCited', { count: sources.length })}
      </button>
      {isOpen && (
        <ul className="mt-2 flex flex-col gap-4 border-l border-line pl-4">
          {sources.map(({ result, recall, isUsed }) => (
            <li key={`${result.path}:${result.startLine}`}>
              <ErrorBoundary piece="row" of={result}>
                <Hit agent={agent} result={result} recall={recall} isUsed={isUsed} />
              </ErrorBoundary>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
