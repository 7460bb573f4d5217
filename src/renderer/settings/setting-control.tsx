import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '#lib/i18n/format.ts'
import { isComposing } from '#lib/util/shortcuts.ts'
import { Select } from '#lib/ui/select.tsx'
import { useSettingNames } from './setting-name.ts'
import { formatDuration, valueAt, type SettingRow } from './setting-rows.ts'

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
  const { t } = useTranslation()
  const { valueNameOf } = useSettingNames()
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
    case 'number':
      return (
        <TextInput
          name={name}
          errorId={errorId}
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
    case 'weights':
      return <Weights name={name} value={value} onSet={onSet} errorId={errorId} />
    case 'duration':
      return (
        <TextInput
          name={name}
          errorId={errorId}
          initial={typeof value === 'number' ? formatDuration(value) : String(value ?? '')}
          hint="90s, 5m, 2h"
          onDone={(text) => onSet(text.trim() === '' ? undefined : text.trim())}
        />
      )
    case 'text':
      return (
        <TextInput
          name={name}
          errorId={errorId}
          initial={asText(value)}
          {...(unset === undefined ? {} : { hint: unset })}
          onDone={(text) => onSet(text === '' ? undefined : text)}
        />
      )
    case 'longText':
      return (
        <TextInput
          name={name}
          errorId={errorId}
          initial={asText(value)}
          isLong
          onDone={(text) => onSet(text === '' ? undefined : text)}
        />
      )
    case 'list':
      return (
        <TextInput
          name={name}
          errorId={errorId}
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

function Weights({ name, value, onSet, errorId }: Omit<ControlProps, 'row'>) {
  const { t } = useTranslation()
  const vector = valueAt(value, ['vector'])
  const text = valueAt(value, ['text'])
  const isAuto = typeof vector !== 'number' || typeof text !== 'number'
  const share = isAuto ? initialVectorShare : vector / (vector + text)
  const setVectorWeight = (weight: number) => onSet({ vector: weight, text: Math.round((1 - weight) * 100) / 100 })
  return (
    <div className="flex flex-col gap-1">
      <label className="flex min-h-7 items-center gap-2">
        <input
          type="checkbox"
          aria-label={name}
          checked={isAuto}
          onChange={(event) => (event.target.checked ? onSet('auto') : setVectorWeight(initialVectorShare))}
          className="accent-accent"
        />
        {t('settings.automatic')}
      </label>
      {!isAuto && (
        <TextInput
          name={t('settings.weightOfMeaning')}
          errorId={errorId}
          initial={String(Math.round(share * 100) / 100)}
          hint={t('settings.weightHint')}
          inputMode="decimal"
          onDone={(typed) => {
            const weight = Number(typed)
            if (typed.trim() === '') onSet('auto')
            else setVectorWeight(weight)
          }}
        />
      )}
    </div>
  )
}

const initialVectorShare = 0.3

function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function rangeOf({ min, max }: SettingRow): string {
  if (min === undefined) return ''
  return max === undefined ? `≥ ${formatNumber(min)}` : `${formatNumber(min)} – ${formatNumber(max)}`
}

interface TextInputProps {
  readonly name: string
  readonly initial: string
  readonly hint?: string
  readonly isLong?: boolean
  readonly inputMode?: 'decimal'
  readonly errorId: string | undefined
  readonly onDone: (text: string) => void
}

function TextInput({ name, initial, hint = '', isLong = false, inputMode, errorId, onDone }: TextInputProps) {
  const [text, setText] = useState(initial)
  const finish = () => text !== initial && onDone(text)
  if (isLong)
    return (
      <textarea
        aria-label={name}
        aria-invalid={errorId !== undefined}
        aria-describedby={errorId}
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
      aria-invalid={errorId !== undefined}
      aria-describedby={errorId}
      value={text}
      inputMode={inputMode}
      placeholder={hint}
      title={hint}
      spellCheck={false}
      onChange={(event) => setText(event.target.value)}
      onBlur={finish}
      onKeyDown={(event) => event.key === 'Enter' && !isComposing(event) && finish()}
      className={field}
    />
  )
}
