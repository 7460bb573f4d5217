/** Files as fields: as large as they are, as strong in colour as they were recalled. The table says the same. */
import { hierarchy, treemap } from 'd3-hierarchy'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import type { SurveyedFile, Unsearched } from '../../shared/contract/index.ts'
import { formatBytes, formatNumber } from '../i18n/format.ts'
import { paths } from '../navigate.ts'

/** Smaller files share one field: nobody could tell their fields apart. */
const maxFields = 300
/** A field narrower or lower than this has no room for a name, px. */
const minForName = { width: 52, height: 18 }

interface Field {
  readonly name: string
  readonly size: number
  readonly recalls: number
  readonly unsearched: Unsearched | undefined
  /** Undefined for the field of the many. */
  readonly path: string | undefined
}

export function Treemap({ files }: { files: readonly SurveyedFile[] }) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const frame = useRef<HTMLDivElement>(null)
  const [{ width, height }, setSize] = useState({ width: 0, height: 0 })
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => entry && setSize(entry.contentRect))
    if (frame.current) observer.observe(frame.current)
    return () => observer.disconnect()
  }, [])
  const others = t('map.others', { count: Math.max(0, files.length - maxFields) })
  const fields = useMemo(() => toFields(files, others), [files, others])
  const leaves = useMemo(() => layOut(fields, width, height), [fields, width, height])
  const most = Math.max(1, ...fields.map(({ recalls }) => recalls))
  const recalled = files.filter(({ recalls }) => recalls > 0).length
  return (
    <div
      ref={frame}
      role="group"
      aria-label={t('map.alternative', { count: files.length, recalled })}
      className="relative min-h-64 flex-1 overflow-hidden rounded-md"
    >
      {leaves.map(({ data, x0, y0, x1, y1 }) => {
        const { name, size, recalls, path, unsearched } = data as Field
        const strength = recalls === 0 ? 0 : 12 + 36 * (Math.log1p(recalls) / Math.log1p(most))
        const hasName = x1 - x0 >= minForName.width && y1 - y0 >= minForName.height
        return (
          <button
            key={path ?? 'others'}
            type="button"
            tabIndex={-1}
            disabled={path === undefined}
            title={`${name} · ${formatBytes(size)} · ${unsearched ? t('unsearched.mark') : t('map.recalledTimes', { count: recalls })}`}
            data-unsearched={unsearched?.reason}
            onClick={() => path !== undefined && navigate(paths.file(path))}
            className="absolute flex flex-col overflow-hidden rounded-[3px] border border-paper p-1 text-left text-[11px] leading-tight hover:outline-2 hover:outline-accent"
            style={{
              left: x0,
              top: y0,
              width: x1 - x0,
              height: y1 - y0,
              background: unsearched
                ? 'repeating-linear-gradient(-45deg, var(--soft) 0 4px, var(--paper) 4px 8px)'
                : `color-mix(in oklab, var(--accent) ${strength}%, var(--soft))`,
            }}
          >
            {hasName && (
              <>
                <span className="max-w-full truncate">{name.split('/').at(-1)}</span>
                {recalls > 0 && y1 - y0 > 34 && <span className="tabular opacity-80">{formatNumber(recalls)}</span>}
              </>
            )}
          </button>
        )
      })}
    </div>
  )
}

function toFields(files: readonly SurveyedFile[], others: string): Field[] {
  const bySize = files.toSorted((one, other) => other.size - one.size)
  const fields: Field[] = bySize
    .slice(0, maxFields)
    .map(({ path, size, recalls, unsearched }) => ({ name: path, path, size, recalls, unsearched }))
  const rest = bySize.slice(maxFields)
  if (rest.length > 0) {
    const sum = (of: (file: SurveyedFile) => number) => rest.reduce((total, file) => total + of(file), 0)
    fields.push({
      name: others,
      path: undefined,
      unsearched: undefined,
      size: sum(({ size }) => size),
      recalls: sum(({ recalls }) => recalls),
    })
  }
  return fields
}

function layOut(fields: readonly Field[], width: number, height: number) {
  if (width === 0 || height === 0) return []
  const root = hierarchy<Field | { children: readonly Field[] }>({ children: fields }, (node) =>
    'children' in node ? node.children : undefined,
  ).sum((node) => ('children' in node ? 0 : Math.max(1, node.size)))
  return treemap<Field | { children: readonly Field[] }>().size([width, height]).round(true)(root).leaves()
}
