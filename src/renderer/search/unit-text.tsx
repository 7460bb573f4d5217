import { t } from 'i18next'
import { withoutPrivateMarks } from '#shared/markdown/visibility.ts'
import { Highlight } from '#lib/ui/long-text.tsx'
import { parsePlace, paths } from '#lib/router/paths.ts'
import { sessionOfPath } from '#shared/util/agent-files.ts'
import { Link } from 'wouter'
import type { SearchResult } from '#shared/contract/index.ts'

/** Characters before the first match that are shown, at least, and at most. */
const [keptBefore, maxBefore] = [40, 160]

interface UnitTextProps {
  readonly path: string
  readonly text: string
  readonly words?: readonly string[]
  readonly className?: string
}

const noWords: readonly string[] = []
const chatLink = / ?\[sessions\/[\w.-]+\.jsonl(?::\d+)?\]/g

/** Shows the text of a note or chat without privacy marks and links to chats. */
export function MemoryText({ path, text, words = noWords, className = '' }: UnitTextProps) {
  const compact = withoutPrivateMarks(text)
    .replaceAll(chatLink, '')
    .trim()
    .replace(/\n\s*\n/g, '\n')
  const names = { User: t('search.said.user'), Assistant: t('search.said.assistant') }
  const shown = sessionOfPath(path) === undefined ? compact : nameSpeakers(compact, names)
  return (
    <p className={`break-words whitespace-pre-line ${className}`}>
      <Highlight text={fromFirstMatch(shown, words)} words={words} />
    </p>
  )
}

/** Cuts the beginning of a long text, so that the first of `words` is visible in two lines. */
function fromFirstMatch(text: string, words: readonly string[]): string {
  const folded = text.toLowerCase()
  const first = Math.min(...words.map((word) => folded.indexOf(word.toLowerCase())).filter((at) => at >= 0))
  if (first === Infinity || first <= maxBefore) return text
  const start = Math.max(text.lastIndexOf('\n', first), text.lastIndexOf(' ', first - keptBefore)) + 1
  return `…${text.slice(start)}`
}

/** Replaces the speakers of a transcript with their display names. They appear only at the start of a line. */
export function nameSpeakers(text: string, names: Readonly<Record<'User' | 'Assistant', string>>): string {
  return text.replace(/^(- )?(User|Assistant): /gm, (_, dash = '', name: 'User' | 'Assistant') => dash + names[name])
}

type Marked = Pick<SearchResult, 'superseded' | 'missing' | 'newer'>

/** Says what a reader must know of a result: that it is outdated or may be, and which words of the query it lacks. */
export function ResultMarks({ result: { superseded, missing, newer } }: { result: Marked }) {
  const by = superseded?.by ?? newer?.at
  const place = by === undefined ? undefined : parsePlace(by)
  const isOutdated = superseded !== undefined || newer?.isSure === true
  return (
    <p className="flex flex-wrap gap-x-3 text-[12px] text-warning empty:hidden" data-testid="marks">
      {superseded && <span>{t('result.superseded', { until: superseded.until })}</span>}
      {place && (
        <Link href={paths.source(place.path, place.line)} className="hover:underline">
          {t(isOutdated ? 'result.now' : 'result.newer', { by })}
        </Link>
      )}
      {missing && <span className="text-muted">{t('result.without', { words: missing.join(t('common.comma')) })}</span>}
    </p>
  )
}
