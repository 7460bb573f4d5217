/** Links of notes that are here already and mean something else after an import. */
import { useTranslation } from 'react-i18next'
import type { ImportPlan } from '#shared/contract/index.ts'

const kinds = ['elsewhere', 'shared', 'found'] as const

export function ChangedLinks({ existing }: Pick<ImportPlan, 'existing'>) {
  const { t } = useTranslation()
  const changed = kinds.filter((kind) => existing[kind].count > 0)
  if (changed.length === 0) return null
  return (
    <div className="flex flex-col gap-1" data-testid="changed-links">
      {changed.map((kind) => (
        <details key={kind}>
          <summary className={`cursor-pointer ${kind === 'elsewhere' ? 'text-warning' : ''}`}>
            {t(`import.existing.${kind}`, { count: existing[kind].count })}
          </summary>
          <ul className="mt-1 max-h-48 overflow-y-auto pl-4 font-mono text-[12px] break-all text-muted">
            {existing[kind].examples.map(({ path, line, target, from, to }) => (
              <li key={`${path} ${line} ${target}`}>
                {path}:{line} · {target} → {from === null || from === to ? to : `${to} (${from})`}
              </li>
            ))}
          </ul>
        </details>
      ))}
    </div>
  )
}
