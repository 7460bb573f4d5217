import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../i18n/format.ts'
import { IconButton } from '../ui/button.tsx'
import { formatDuration, type SettingRow } from './setting-rows.ts'
import { useSettingName } from './setting-name.ts'

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

const field =
  'min-h-7 w-full min-w-0 rounded-sm border border-line bg-raised px-2 py-0.5 outline-none focus:border-accent'

interface ControlProps {
  readonly row: SettingRow
  readonly name: string
  readonly value: unknown
  readonly onSet: (value: unknown) => void
}

function Control({ row, name, value, onSet }: ControlProps) {
  const { t } = useTranslation()
  switch (row.kind) {
    case 'boolean':
      return (
        <input
          type="checkbox"
          aria-label={name}
          checked={value === true}
          onChange={(event) => onSet(event.target.checked)}
          className="mt-1.5 accent-accent"
        />
      )
    case 'choice':
      return (
        <select
          aria-label={name}
          value={String(value)}
          onChange={(event) => onSet(event.target.value)}
          className={field}
        >
          {row.options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      )
    case 'number':
      return (
        <Typed
          name={name}
          initial={value === null || value === undefined ? '' : String(value)}
          hint={row.isNullable ? t('settings.none') : rangeOf(row)}
          inputMode="decimal"
          onDone={(text) => {
            if (text.trim() === '' && row.isNullable) onSet(null)
            else if (text.trim() === '') onSet(undefined)
            else onSet(Number.isNaN(Number(text)) ? text : Number(text))
          }}
        />
      )
    case 'duration':
      return (
        <Typed
          name={name}
          initial={typeof value === 'number' ? formatDuration(value) : String(value ?? '')}
          hint="90s, 5m, 2h"
          onDone={(text) => onSet(text.trim() === '' ? undefined : text.trim())}
        />
      )
    case 'text':
      return <Typed name={name} initial={asText(value)} onDone={(text) => onSet(text === '' ? undefined : text)} />
    case 'longText':
      return (
        <Typed name={name} initial={asText(value)} isLong onDone={(text) => onSet(text === '' ? undefined : text)} />
      )
    case 'list':
      return (
        <Typed
          name={name}
          initial={Array.isArray(value) ? value.join('\n') : ''}
          hint={t('settings.onePerLine')}
          isLong
          onDone={(text) => {
            const lines = text.split('\n').flatMap((line) => line.trim() || [])
            onSet(lines.length === 0 ? undefined : lines)
          }}
        />
      )
  }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function rangeOf({ least, most }: SettingRow): string {
  if (least === undefined) return ''
  return most === undefined ? `≥ ${formatNumber(least)}` : `${formatNumber(least)} – ${formatNumber(most)}`
}

interface TypedProps {
  readonly name: string
  readonly initial: string
  readonly hint?: string
  readonly isLong?: boolean
  readonly inputMode?: 'decimal'
  readonly onDone: (text: string) => void
}

/** Takes effect when it is left, or with Enter. */
function Typed({ name, initial, hint = '', isLong = false, inputMode, onDone }: TypedProps) {
  const [text, setText] = useState(initial)
  const finish = () => text !== initial && onDone(text)
  if (isLong)
    return (
      <textarea
        aria-label={name}
        value={text}
        rows={2}
        placeholder={hint}
        onChange={(event) => setText(event.target.value)}
        onBlur={finish}
        className={`${field} resize-y font-mono text-[12px]`}
      />
    )
  return (
    <input
      aria-label={name}
      value={text}
      inputMode={inputMode}
      placeholder={hint}
      title={hint}
      spellCheck={false}
      onChange={(event) => setText(event.target.value)}
      onBlur={finish}
      onKeyDown={(event) => event.key === 'Enter' && finish()}
      className={field}
    />
  )
}
