import { useTranslation } from 'react-i18next'
import { parseLargeChange } from '../../shared/large-change.ts'
import { patchLines } from './patch-lines.ts'

const looks = { added: 'bg-added-wash text-added', removed: 'bg-removed-wash text-bad', same: 'text-muted' } as const

/** The lines of a unified diff, or how many they are. */
export function Patch({ patch, isUndone = false }: { patch: string; isUndone?: boolean }) {
  const { t } = useTranslation()
  const large = parseLargeChange(patch)
  if (large) {
    const count = Math.max(large.added, large.removed)
    return <p className="px-3.5 py-2 text-muted">{t('tool.largeChange', { count })}</p>
  }
  return (
    <pre
      className={`max-h-80 overflow-auto font-mono text-[12px] leading-[1.75] ${isUndone ? 'line-through opacity-50' : ''}`}
    >
      {patchLines(patch).map(({ kind, text }, index) => (
        <div key={index} className={`px-3.5 whitespace-pre-wrap ${looks[kind]}`}>
          {text || ' '}
        </div>
      ))}
    </pre>
  )
}
