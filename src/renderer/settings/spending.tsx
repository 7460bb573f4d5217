import { t } from 'i18next'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import type { MonthlyUsage, Spending } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { formatMoney, formatMonth, formatNumber, formatPercent } from '#lib/i18n/format.ts'
import { Button } from '#lib/ui/button.tsx'

export function SpendingPanel() {
  const usage = useQuery(api.settings.usage.queryOptions())
  if (!usage.data) return null
  const months = Map.groupBy(usage.data.months, ({ month }) => month)
  return (
    <>
      <Limit key={usage.data.spending.limit} spending={usage.data.spending} />
      {months.size === 0 && <p className="text-muted">{t('settings.noUsage')}</p>}
      {[...months].map(([month, rows]) => (
        <Month key={month} month={month} rows={rows} />
      ))}
    </>
  )
}

function Limit({ spending: { spent, limit, warns } }: { spending: Spending }) {
  const [typed, setTyped] = useState(limit === null ? '' : String(limit))
  const value = typed.trim() === '' ? null : Number(typed)
  const isValid = value === null || (Number.isFinite(value) && value > 0)
  const save = useMutation(api.settings.set.mutationOptions())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isValid) save.mutate({ path: ['spending', 'monthlyLimit'], value })
  }
  return (
    <form onSubmit={submit} className="flex flex-wrap items-center gap-3">
      <label className="flex items-center gap-2">
        {t('settings.limit')}
        <input
          inputMode="decimal"
          value={typed}
          aria-invalid={!isValid}
          placeholder={t('settings.none')}
          onChange={(event) => setTyped(event.target.value)}
          className="tabular w-28 rounded-sm border border-line bg-raised px-2.5 py-1.5 outline-none focus:border-accent aria-invalid:border-bad"
        />
        USD
      </label>
      <Button type="submit" disabled={!isValid || value === limit}>
        {t('file.save')}
      </Button>
      <span className={`tabular ${warns ? 'text-warning' : 'text-muted'}`}>
        {limit === null
          ? t('settings.spent', { spent: formatMoney(spent) })
          : t('settings.spentOf', { spent: formatMoney(spent), share: formatPercent(spent / limit) })}
      </span>
    </form>
  )
}

function Month({ month, rows }: { month: string; rows: readonly MonthlyUsage[] }) {
  const total = rows.reduce((sum, { usage }) => sum + (usage.cost?.total ?? 0), 0)
  return (
    <table className="tabular w-full text-[13px]">
      <caption className="pb-1 text-left font-medium">
        {formatMonth(month)} · {formatMoney(total)}
      </caption>
      <thead className="text-[12px] text-muted">
        <tr className="border-b border-line">
          <th className="py-1 text-left font-normal">{t('status.model')}</th>
          <th className="py-1 text-right font-normal">{t('settings.requests')}</th>
          <th className="py-1 text-right font-normal">{t('details.input')}</th>
          <th className="py-1 text-right font-normal">{t('details.cached')}</th>
          <th className="py-1 text-right font-normal">{t('details.output')}</th>
          <th className="py-1 text-right font-normal">{t('details.cost')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ model, requests, usage }) => {
          const input = usage.input + usage.cacheRead + usage.cacheWrite
          return (
            <tr key={model} className="border-b border-soft">
              <td className="max-w-64 truncate py-1.5">{model}</td>
              <td className="text-right">{formatNumber(requests)}</td>
              <td className="text-right">{formatNumber(input)}</td>
              <td className="text-right">{input === 0 ? '–' : formatPercent(usage.cacheRead / input)}</td>
              <td className="text-right">{formatNumber(usage.output)}</td>
              <td className="text-right">{usage.cost ? formatMoney(usage.cost.total) : '–'}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
