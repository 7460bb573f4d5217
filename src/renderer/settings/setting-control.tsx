/** The field that a setting is changed with: by its kind. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../i18n/format.ts'
import { formatDuration, type SettingRow } from './setting-rows.ts'

const field =
  'min-h-7 w-full min-w-0 rounded-sm border border-line bg-raised px-2 py-0.5 outline-none focus:border-accent'

interface ControlProps {
  readonly row: SettingRow
  readonly name: string
  readonly value: unknown
  readonly onSet: (value: unknown) => void
}

export function Control({ row, name, value, onSet }: ControlProps) {
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

function rangeOf({ min, max }: SettingRow): string {
  if (min === undefined) return ''
  return max === undefined ? `≥ ${formatNumber(min)}` : `${formatNumber(min)} – ${formatNumber(max)}`
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
