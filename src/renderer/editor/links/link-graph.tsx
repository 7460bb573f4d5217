/** A small graph of links as a picture whose every node is a link; arrow keys go from one to the next. */
import { useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import type { LinkGraph } from '#shared/contract/index.ts'
import { paths } from '#lib/router/paths.ts'
import { layoutOf } from './graph-layout.ts'

/** Beyond the outermost ring, for names, in px. */
const margin = 190
/** As many names have room to be written level. */
const fewNodes = 14
/** Smaller, names could not be read; what does not fit then is scrolled to. */
const leastScale = 0.9
/** Characters of a name. */
const maxLabel = 28

export function LinkGraphPicture({ graph }: { graph: LinkGraph }) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const { nodes: placed, radius } = useMemo(() => layoutOf(graph), [graph])
  const [active, setActive] = useState(graph.nodes[0]?.id)
  const picture = useRef<SVGSVGElement>(null)
  const size = 2 * (radius + margin)
  const around = useMemo(() => neighboursOf(graph), [graph])
  const lit = active === undefined ? undefined : around.get(active)
  const areLevel = graph.nodes.length <= fewNodes
  // Where it is larger than its room, the middle is seen first.
  useLayoutEffect(() => {
    const room = picture.current?.parentElement
    if (room && size > 0)
      room.scrollTo((room.scrollWidth - room.clientWidth) / 2, (room.scrollHeight - room.clientHeight) / 2)
  }, [size])
  const go = (step: number) => {
    const links = [...(picture.current?.querySelectorAll<SVGAElement>('a') ?? [])]
    const at = links.findIndex((link) => link === document.activeElement)
    links[(at + step + links.length) % links.length]?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    go(step)
  }
  return (
    <svg
      ref={picture}
      role="group"
      aria-label={t('around.picture', { count: graph.nodes.length - 1, name: graph.nodes[0]?.label ?? '' })}
      viewBox={`${-size / 2} ${-size / 2} ${size} ${size}`}
      className="m-auto block max-h-none w-full shrink-0"
      style={{ maxWidth: `${size}px`, minWidth: `${size * leastScale}px` }}
      onKeyDown={onKeyDown}
    >
      <g aria-hidden>
        {graph.edges.map(({ from, to }) => {
          const [one, other] = [placed.get(from), placed.get(to)]
          if (!one || !other) return null
          const isLit = from === active || to === active
          return (
            <line
              key={`${from}\n${to}`}
              x1={one.x}
              y1={one.y}
              x2={other.x}
              y2={other.y}
              className={isLit ? 'stroke-accent' : 'stroke-line'}
              strokeWidth={isLit ? 1.4 : 1}
              strokeDasharray={to.startsWith('?') ? '3 4' : undefined}
            />
          )
        })}
      </g>
      {graph.nodes.map(({ id, path, label, distance, makes }) => {
        const place = placed.get(id)
        if (!place) return null
        const href = paths.file(path ?? makes ?? '')
        const isLeft = distance > 0 && Math.cos(place.angle) < 0
        const degrees = areLevel ? 0 : (place.angle * 180) / Math.PI + (isLeft ? 180 : 0)
        const isQuiet = active !== undefined && id !== active && !lit?.has(id)
        return (
          <g key={id} transform={`translate(${place.x} ${place.y})`}>
            <a
              href={href}
              data-node={id}
              aria-label={path === null ? t('around.missing', { name: label }) : label}
              className="group cursor-pointer outline-none"
              onFocus={() => setActive(id)}
              onMouseEnter={() => setActive(id)}
              onClick={(event) => {
                if (event.metaKey || event.ctrlKey) return
                event.preventDefault()
                navigate(href)
              }}
            >
              <title>{path ?? t('around.missing', { name: label })}</title>
              <circle r={11} fill="transparent" className="group-focus-visible:stroke-accent" />
              <circle
                r={distance === 0 ? 7 : distance === 1 ? 5 : 3.5}
                className={
                  path === null
                    ? 'fill-paper stroke-muted'
                    : distance === 0
                      ? 'fill-accent'
                      : 'fill-muted group-hover:fill-accent'
                }
                strokeDasharray={path === null ? '2 2' : undefined}
              />
              <text
                transform={distance === 0 ? undefined : `rotate(${degrees})`}
                x={distance === 0 ? 0 : isLeft ? -10 : 10}
                y={distance === 0 ? -14 : 4}
                textAnchor={distance === 0 ? 'middle' : isLeft ? 'end' : 'start'}
                className={`stroke-paper text-[12px] [paint-order:stroke] ${distance === 0 ? 'font-semibold' : ''} ${isQuiet ? 'fill-muted' : 'fill-text'} ${path === null ? 'italic' : ''}`}
                strokeWidth={3}
              >
                {label.length > maxLabel ? `${label.slice(0, maxLabel).toWellFormed()}…` : label}
              </text>
            </a>
          </g>
        )
      })}
    </svg>
  )
}

function neighboursOf({ edges }: LinkGraph): Map<string, Set<string>> {
  const near = new Map<string, Set<string>>()
  for (const { from, to } of edges) {
    near.set(from, (near.get(from) ?? new Set()).add(to))
    near.set(to, (near.get(to) ?? new Set()).add(from))
  }
  return near
}
