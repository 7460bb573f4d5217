import { t } from 'i18next'
import { useState, type ChangeEvent } from 'react'
import { formatNumber } from '#lib/i18n/format.ts'
import { Select } from '#lib/ui/choice.tsx'
import { settingNames } from './use-settings.ts'
import { formatDuration, type SettingRow } from './setting-rows.ts'

const field =
  'min-h-7 w-full min-w-0 rounded-sm border border-line bg-raised px-2 py-0.5 outline-none focus:border-accent'

interface ControlProps {
  readonly row: SettingRow
  readonly name: string
  readonly value: unknown
  /** The value in use while the field is empty. */
  readonly unset?: string
  readonly onSet: (value: unknown) => void
  readonly errorId: string | undefined
}

export function Control({ row, name, value, unset, onSet, errorId }: ControlProps) {
  const { valueNameOf } = settingNames(t)
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
        <Select
          label={name}
          value={String(value)}
          options={row.options.map((option) => ({ value: option, name: valueNameOf(row.path, option) }))}
          onChoose={onSet}
          className="min-h-7 w-full min-w-0 px-2 py-0.5 outline-none focus:border-accent"
        />
      )
    default: {
      const { initial, hint = unset, read } = textFormatOf(row, value)
      return (
        <TextInput
          name={name}
          errorId={errorId}
          initial={initial}
          hint={hint ?? ''}
          isLong={row.kind === 'longText' || row.kind === 'list'}
          inputMode={row.kind === 'number' ? 'decimal' : undefined}
          onDone={(text) => onSet(read(text))}
        />
      )
    }
  }
}

interface TextFormat {
  readonly initial: string
  readonly hint?: string
  /** Returns the value to set; undefined restores the inherited value. An invalid text is set as it is. */
  readonly read: (text: string) => unknown
}

function textFormatOf(row: SettingRow, value: unknown): TextFormat {
  switch (row.kind) {
    case 'number':
      return {
        initial: String(value ?? ''),
        hint: row.isNullable ? t('settings.none') : rangeOf(row),
        read(text) {
          if (text.trim() === '') return row.isNullable ? null : undefined
          return Number.isNaN(Number(text)) ? text : Number(text)
        },
      }
    case 'duration':
      return {
        initial: typeof value === 'number' ? formatDuration(value) : String(value ?? ''),
        hint: '90s, 5m, 2h',
        read: (text) => text.trim() || undefined,
      }
    case 'list':
      return {
        initial: Array.isArray(value) ? value.join('\n') : '',
        hint: t('settings.onePerLine'),
        read(text) {
          const lines = text.split('\n').flatMap((line) => line.trim() || [])
          return lines.length === 0 ? undefined : lines
        },
      }
    default:
      return { initial: typeof value === 'string' ? value : '', read: (text) => text || undefined }
  }
}

function rangeOf({ min, max }: SettingRow): string {
  if (min === undefined) return ''
  return max === undefined ? `≥ ${formatNumber(min)}` : `${formatNumber(min)} – ${formatNumber(max)}`
}

interface TextInputProps {
  readonly name: string
  readonly initial: string
  readonly hint: string
  readonly isLong?: boolean
  readonly inputMode: 'decimal' | undefined
  readonly errorId: string | undefined
  readonly onDone: (text: string) => void
}

function TextInput({ name, initial, hint, isLong = false, inputMode, errorId, onDone }: TextInputProps) {
  const [text, setText] = useState(initial)
  const finish = () => text !== initial && onDone(text)
  const attributes = {
    'aria-label': name,
    'aria-invalid': errorId !== undefined,
    'aria-describedby': errorId,
    value: text,
    placeholder: hint,
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => setText(event.target.value),
    onBlur: finish,
  }
  if (isLong) return <textarea {...attributes} rows={2} className={`${field} resize-y font-mono text-[12px]`} />
  return (
    <input
      {...attributes}
      inputMode={inputMode}
      title={hint}
      spellCheck={false}
      onKeyDown={(event) => event.key === 'Enter' && finish()}
      className={field}
    />
  )
}
