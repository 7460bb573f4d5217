/** One setting: what it is, what holds, and whether it was set here. */
import { RotateCcw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../ui/button.tsx'
import type { SettingRow } from './setting-rows.ts'
import { useSettingName } from './setting-name.ts'
import { Control } from './setting-control.tsx'

interface SettingRowViewProps {
  readonly row: SettingRow
  /** What is written in this scope; undefined when it is inherited. */
  readonly written: unknown
  /** What holds. */
  readonly inForce: unknown
  /** Undefined: what is inherited holds again. */
  readonly onSet: (value: unknown) => void
}

/** One setting: what it is, what holds, and whether it was set here. */
export function SettingRowView({ row, written, inForce, onSet }: SettingRowViewProps) {
  const { t } = useTranslation()
  const nameOf = useSettingName()
  const key = row.path.join('.')
  const name = nameOf(row.path)
  const isSet = written !== undefined
  return (
    <div data-testid="setting" data-key={key} className="flex items-start gap-4 border-b border-soft py-2">
      <div className="min-w-0 flex-1">
        <p className={isSet ? 'font-medium' : ''}>{name}</p>
        <p className="truncate font-mono text-[11px] text-muted">
          {key}
          {!isSet && <span className="pl-3 font-sans">{t('settings.inherited')}</span>}
        </p>
      </div>
      <div className="flex w-72 shrink-0 items-start justify-end gap-1">
        <Control key={JSON.stringify(inForce)} row={row} name={name} value={inForce} onSet={onSet} />
        <IconButton
          label={t('settings.reset', { name })}
          className={isSet ? '' : 'invisible'}
          onClick={() => onSet(undefined)}
        >
          <RotateCcw size={13} />
        </IconButton>
      </div>
    </div>
  )
}
