import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { ForeignSettings } from '#shared/contract/index.ts'

interface ForeignSettingsProps {
  readonly settings: ForeignSettings
  readonly isSelected: boolean
  readonly onToggle: () => void
}

export function ForeignSettingsChoice({ settings: { file, taken, left }, isSelected, onToggle }: ForeignSettingsProps) {
  const { t } = useTranslation()
  return (
    <div data-testid="foreign-settings" className="flex flex-col gap-2 rounded-md border border-line px-3 py-2">
      <label className="flex items-baseline gap-2">
        <input type="checkbox" checked={isSelected} disabled={taken.length === 0} onChange={onToggle} />
        <span className="min-w-0 flex-1">
          <span className="block">{t('onboarding.takeOver')}</span>
          <span className="block font-mono text-[12px] break-all text-muted">{file}</span>
        </span>
      </label>
      <details className="text-[12px]">
        <summary className="cursor-pointer text-muted">
          {t('onboarding.takeOverCounts', { taken: taken.length, left: left.length })}
        </summary>
        <div className="mt-2 flex max-h-72 flex-col gap-3 overflow-auto">
          {taken.length > 0 && (
            <List title={t('onboarding.taken')}>
              {taken.map(({ from, to, value }) => (
                <Line key={`${from}/${to}`} name={from} detail={`→ ${to}: ${value}`} />
              ))}
            </List>
          )}
          {left.length > 0 && (
            <List title={t('onboarding.left')}>
              {left.map(({ from, reason }) => (
                <Line key={`${from}/${reason}`} name={from} detail={t(`onboarding.leftReason.${reason}`)} />
              ))}
            </List>
          )}
        </div>
      </details>
    </div>
  )
}

function List({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h3 className="font-medium">{title}</h3>
      <ul>{children}</ul>
    </section>
  )
}

function Line({ name, detail }: { name: string; detail: string }) {
  return (
    <li className="flex flex-wrap gap-x-2 py-0.5">
      <span className="font-mono break-all">{name}</span>
      <span className="break-all text-muted">{detail}</span>
    </li>
  )
}
