/** Tags as a tree that keys walk: each opens the search for its notes. */
import { ChevronRight, Pencil } from 'lucide-react'
import { useRef, useState, type KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import { tagQuery } from '#shared/markdown/properties/queries.ts'
import { formatNumber } from '#lib/i18n/format.ts'
import { paths } from '#lib/router/paths.ts'
import { Button, IconButton } from '#lib/ui/button.tsx'
import type { TagRow } from './tag-rows.ts'

/** Rows drawn at first, and with each further step. */
const page = 200

interface TagTreeProps {
  readonly rows: readonly TagRow[]
  readonly onToggle: (key: string) => void
  readonly onRename: (name: string) => void
}

export function TagTree({ rows, onToggle, onRename }: TagTreeProps) {
  const { t } = useTranslation()
  const [, navigate] = useLocation()
  const [shown, setShown] = useState(page)
  const [active, setActive] = useState<string>()
  const tree = useRef<HTMLDivElement>(null)
  const hasNested = rows.some((row) => row.hasBelow)
  const current = rows.some(({ key }) => key === active) ? active : rows[0]?.key
  const go = (to: TagRow | undefined) => {
    if (!to) return
    setActive(to.key)
    tree.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(to.key)}"]`)?.focus()
  }
  const search = ({ name }: TagRow) => navigate(paths.search(tagQuery(name)))
  const onKeyDown = (event: KeyboardEvent, row: TagRow) => {
    const at = rows.indexOf(row)
    const above = rows.slice(0, at).findLast(({ level }) => level < row.level)
    const work = {
      ArrowDown: () => go(rows[at + 1]),
      ArrowUp: () => go(rows[at - 1]),
      Home: () => go(rows[0]),
      End: () => go(rows[Math.min(shown, rows.length) - 1]),
      ArrowRight: () => (row.hasBelow && !row.isOpen ? onToggle(row.key) : go(row.isOpen ? rows[at + 1] : undefined)),
      ArrowLeft: () => (row.isOpen ? onToggle(row.key) : go(above)),
      Enter: () => search(row),
      F2: () => onRename(row.name),
    }[event.key]
    if (!work || event.target !== event.currentTarget) return
    event.preventDefault()
    work()
  }
  return (
    <>
      <div ref={tree} role="tree" aria-label={t('tags.title')}>
        {rows.slice(0, shown).map((row) => (
          <div
            key={row.key}
            role="treeitem"
            data-key={row.key}
            aria-level={row.level}
            aria-label={t('tags.row', { name: row.name, count: row.notes })}
            {...(row.hasBelow ? { 'aria-expanded': row.isOpen } : {})}
            tabIndex={row.key === current ? 0 : -1}
            onFocus={() => setActive(row.key)}
            onKeyDown={(event) => onKeyDown(event, row)}
            onClick={() => search(row)}
            style={{ paddingLeft: `${(row.level - 1) * 18}px` }}
            className="group flex min-h-8 cursor-pointer items-center gap-1 rounded-sm hover:bg-soft"
          >
            {row.hasBelow ? (
              <button
                type="button"
                tabIndex={-1}
                aria-label={t(row.isOpen ? 'tags.close' : 'tags.open', { name: row.name })}
                onClick={(event) => {
                  event.stopPropagation()
                  onToggle(row.key)
                }}
                className="flex size-6 shrink-0 items-center justify-center rounded-sm text-muted hover:text-text"
              >
                <ChevronRight size={13} className={row.isOpen ? 'rotate-90' : ''} />
              </button>
            ) : (
              <span className={hasNested ? 'w-6 shrink-0' : 'w-1 shrink-0'} />
            )}
            <span className="min-w-0 truncate">
              <span className="text-muted">{row.level === 1 ? '#' : '/'}</span>
              {row.label}
            </span>{' '}
            <span className="tabular text-[12px] text-muted">{formatNumber(row.notes)}</span>
            <IconButton
              label={t('tags.rename', { name: row.name })}
              tabIndex={-1}
              className="ml-auto size-6! opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 focus-visible:opacity-100 [@media(hover:none)]:opacity-100"
              onClick={(event) => {
                event.stopPropagation()
                onRename(row.name)
              }}
            >
              <Pencil size={12} />
            </IconButton>
          </div>
        ))}
      </div>
      {rows.length > shown && (
        <Button look="link" onClick={() => setShown(shown + page)}>
          {t('history.more')}
        </Button>
      )}
    </>
  )
}
