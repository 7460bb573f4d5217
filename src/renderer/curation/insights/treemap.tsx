/** Files as fields: the larger the file, the larger its field, as strong in colour as they were recalled. The table says the same. */
import { hierarchy, treemap } from 'd3-hierarchy'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import type { SurveyedFile } from '#shared/contract/index.ts'
import { formatBytes, formatNumber } from '#lib/i18n/format.ts'
import { paths } from '#lib/router/paths.ts'
import { areaOf, fieldsOf, type Field } from './treemap-layout.ts'

/** A field narrower or lower than this has no room for a name, px. */
const minForName = { width: 52, height: 18 }

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
  const [within, setWithin] = useState('')
  const fields = useMemo(() => fieldsOf(files, within), [files, within])
  const leaves = useMemo(() => layOut(fields, width, height), [fields, width, height])
  const steps = [...within.matchAll(/\//g)].map(({ index }) => within.slice(0, index + 1))
  const most = Math.max(1, ...fields.map(({ recalls }) => recalls))
  const recalled = files.filter(({ recalls }) => recalls > 0).length
  return (
    <div className="flex min-h-64 flex-1 flex-col gap-1">
      {within !== '' && (
        <nav aria-label={t('map.within')} className="flex flex-wrap items-center gap-1 text-[12px]">
          {['', ...steps].map((step) => (
            <button
              key={step}
              type="button"
              aria-current={step === within ? 'location' : undefined}
              onClick={() => setWithin(step)}
              className="text-accent hover:underline aria-[current]:text-text"
            >
              {step === '' ? t('map.all') : `/ ${step.slice(0, -1).split('/').at(-1)}`}
            </button>
          ))}
        </nav>
      )}
      <div
        ref={frame}
        role="group"
        aria-label={t('map.alternative', { count: files.length, recalled })}
        className="relative min-h-56 flex-1 overflow-hidden rounded-md"
      >
        {leaves.map(({ data, x0, y0, x1, y1 }) => {
          const { kind, size, recalls, path, count, unsearched } = data as Field
          // What is too small to be drawn beside large files is, once its folder has all the room.
          const isIn = kind !== 'file' && path !== '' && path !== within
          const name =
            kind === 'file'
              ? path
              : kind === 'rest'
                ? `${path === '' ? '' : `${path} · `}${t('map.others', { count })}`
                : t('map.folder', { path, count })
          const strength = recalls === 0 ? 0 : 12 + 36 * (Math.log1p(recalls) / Math.log1p(most))
          const hasName = x1 - x0 >= minForName.width && y1 - y0 >= minForName.height
          return (
            <button
              key={`${kind}/${path}`}
              type="button"
              tabIndex={-1}
              disabled={kind !== 'file' && !isIn}
              title={`${name} · ${formatBytes(size)} · ${unsearched ? t('unsearched.mark') : t('map.recalledTimes', { count: recalls })}`}
              data-unsearched={unsearched?.reason}
              onClick={() => (isIn ? setWithin(path) : kind === 'file' && navigate(paths.file(path)))}
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
                  <span className="max-w-full truncate">
                    {kind === 'file' ? name.split('/').at(-1) : name.slice(within.length)}
                  </span>
                  {recalls > 0 && y1 - y0 > 34 && <span className="tabular opacity-80">{formatNumber(recalls)}</span>}
                </>
              )}
            </button>
          )
        })}
      </div>
    </div>
  )
}

function layOut(fields: readonly Field[], width: number, height: number) {
  if (width === 0 || height === 0) return []
  const root = hierarchy<Field | { children: readonly Field[] }>({ children: fields }, (node) =>
    'children' in node ? node.children : undefined,
  ).sum((node) => ('children' in node ? 0 : areaOf(node.size)))
  return treemap<Field | { children: readonly Field[] }>().size([width, height]).round(true)(root).leaves()
}
