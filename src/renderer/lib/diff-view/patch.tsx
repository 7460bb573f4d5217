import { t } from 'i18next'
import { useMemo, useState } from 'react'
import { parseLargeChange } from '#shared/util/large-change.ts'
import { Button } from '../ui/button.tsx'
import { clipLine } from '../util/clip.ts'
import { patchLines } from './patch-lines.ts'

const styles = { added: 'bg-added-wash text-added', removed: 'bg-removed-wash text-bad', same: 'text-muted' } as const

const pageSize = 300
/** Lines shown at first; fewer if the patch is one of many. */
const initialCount = { alone: 300, small: 40 }
const maxLineLength = 2000

interface PatchProps {
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
