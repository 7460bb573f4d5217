import { t } from 'i18next'
import { useMemo, useState } from 'react'
import { parseLargeChange } from '#shared/util/large-change.ts'
import { Button } from '../ui/elements.tsx'
import { clipLine } from '../util/clip.ts'

const styles = { added: 'bg-added-wash text-added', removed: 'bg-removed-wash text-bad', same: 'text-muted' } as const

const pageSize = 300
const initialCount = { alone: 300, small: 40 }
const maxLineLength = 2000

export interface PatchProps {
  readonly patch: string
  readonly isUndone?: boolean
  readonly isSmall?: boolean
}

export function Patch({ patch, isUndone = false, isSmall = false }: PatchProps) {
  const [limit, setLimit] = useState(isSmall ? initialCount.small : initialCount.alone)
  const large = useMemo(() => parseLargeChange(patch), [patch])
  const lines = useMemo(() => patchLines(patch), [patch])
  const remaining = lines.length - limit
  const padding = isSmall ? 'px-2.5' : 'px-3.5'
  if (large) {
    const count = Math.max(large.added, large.removed)
    return <p className={`${padding} py-2 text-muted`}>{t('tool.largeChange', { count })}</p>
  }
  return (
    <div className={`overflow-auto ${isSmall ? 'max-h-72' : 'max-h-80'}`} tabIndex={0}>
      <pre
        className={`font-mono text-[12px] ${isSmall ? 'leading-[1.6]' : 'leading-[1.75]'} ${isUndone ? 'line-through' : ''}`}
      >
        {lines.slice(0, limit).map(({ kind, text }, index) => (
          <div
            key={index}
            className={`${padding} break-words whitespace-pre-wrap ${styles[kind]} ${isUndone ? 'text-muted!' : ''}`}
          >
            {clipLine(text, maxLineLength) || ' '}
          </div>
        ))}
      </pre>
      {remaining > 0 && (
        <Button look="link" className={`${padding}! text-[12px]`} onClick={() => setLimit(limit + pageSize)}>
          {t('plain.showLines', { count: Math.min(pageSize, remaining) })}
        </Button>
      )}
    </div>
  )
}

export interface PatchLine {
  readonly kind: 'added' | 'removed' | 'same'
  readonly text: string
}

const kinds = { '+': 'added', '-': 'removed', ' ': 'same' } as const

/** Returns the lines of a unified diff without headers, from the first to the last non-blank change. */
export function patchLines(patch: string): PatchLine[] {
  const lines: PatchLine[] = []
  let isInHunk = false
  for (const line of patch.split('\n')) {
    isInHunk ||= line.startsWith('@@')
    const kind = kinds[line[0] as keyof typeof kinds]
    if (isInHunk && kind) lines.push({ kind, text: line.slice(1) })
  }
  const isChange = ({ kind, text }: PatchLine) => kind !== 'same' && text.trim() !== ''
  const first = lines.findIndex(isChange)
  const last = lines.findLastIndex(isChange)
  return first < 0 ? lines : lines.slice(first, last + 1)
}

/** @returns a patch for each hunk; the patch itself for a large-change header */
export function splitHunks(patch: string): string[] {
  const lines = patch.split('\n')
  const firstHunk = lines.findIndex((line) => line.startsWith('@@'))
  if (firstHunk < 0) return parseLargeChange(patch) ? [patch] : []
  const header = lines.slice(0, firstHunk)
  const hunks: string[][] = []
  for (const line of lines.slice(firstHunk)) {
    if (line.startsWith('@@')) hunks.push([])
    hunks.at(-1)?.push(line)
  }
  return hunks.map((hunk) => `${[...header, ...hunk].join('\n').trimEnd()}\n`)
}

/** Returns a hash of the hunk's text (djb2, base 36). */
export function hunkKey(hunk: string): string {
  let hash = 5381
  for (const character of hunk) hash = ((hash * 33) ^ (character.codePointAt(0) ?? 0)) >>> 0
  return hash.toString(36)
}
