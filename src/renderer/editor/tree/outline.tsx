import { useMemo } from 'react'
import { t } from 'i18next'
import { sectionsOf } from '#shared/markdown/sections.ts'
import { clipLine } from '#lib/util/clip.ts'
import { maxCountedLength } from '../counts.tsx'
import { plainTitle } from '#lib/notes/plain-title.ts'

/** Shorter outlines are not shown. */
const minHeadings = 3
const maxHeadings = 1000

export function Outline({ text, onChoose }: { text: string; onChoose: (line: number) => void }) {
  const sections = useMemo(() => (text.length > maxCountedLength ? [] : sectionsOf(text.split('\n'))), [text])
  if (sections.length < minHeadings) return null
  return (
    <nav
      aria-label={t('file.outline')}
      className="hidden w-52 shrink-0 overflow-y-auto border-l border-line px-2 py-3 text-[12px] xl:block"
    >
      {sections.slice(0, maxHeadings).map(({ title, level, from: line }) => (
        <button
          key={line}
          type="button"
          onClick={() => onChoose(line)}
          className="block min-h-6 w-full truncate rounded-sm px-2 text-left text-muted hover:bg-soft hover:text-text"
          style={{ paddingLeft: level * 8 }}
        >
          {clipLine(plainTitle(title), 100)}
        </button>
      ))}
      {sections.length > maxHeadings && <p className="px-2 py-1 text-muted">…</p>}
    </nav>
  )
}
