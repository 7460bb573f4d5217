import { Eye } from 'lucide-react'
import { t } from 'i18next'
import { Link } from 'wouter'
import type { ContextItem, ContextReport } from '#shared/contract/index.ts'
import { formatNumber, formatPercent, formatShort } from '#lib/i18n/format.ts'
import { IconButton } from '#lib/ui/button.tsx'
import { paths } from '#lib/router/paths.ts'
import { itemName, layerColor } from './layers.ts'
import { layers } from '#shared/chat/context-items.ts'

export function ContextTable({ report, onOpen }: { report: ContextReport; onOpen: (item: ContextItem) => void }) {
  const { items, estimatedTokens, reportedTokens, contextWindow } = report
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-5 gap-y-1 pt-3 text-[12px]">
        {layers.map((layer) => {
          const tokens = items.reduce((sum, item) => (item.layer === layer ? sum + item.tokens : sum), 0)
          return tokens === 0 ? null : (
            <span key={layer} className="flex items-center gap-1.5">
              <span aria-hidden className="size-2.5 rounded-[3px]" style={{ background: layerColor(layer) }} />
              {t(`context.layers.${layer}`)} <span className="tabular text-muted">{formatShort(tokens)}</span>
            </span>
          )
        })}
        <span className="flex-1" />
        <span className="tabular">
          <strong className="font-semibold">
            {t('context.of', { tokens: formatNumber(estimatedTokens), window: formatNumber(contextWindow) })}
          </strong>
          <span className="text-muted"> · {t(reportedTokens === null ? 'context.estimated' : 'context.counted')}</span>
        </span>
      </div>
      <table className="mt-6 w-full border-collapse text-left">
        <thead className="text-[12px] text-muted">
          <tr className="border-b border-line">
            <th className="py-2 font-medium">{t('context.item')}</th>
            <th className="font-medium max-sm:hidden">{t('context.layer')}</th>
            <th className="pl-3 text-right font-medium">{t('context.tokens')}</th>
            <th className="pr-6 pl-3 text-right font-medium max-sm:pr-3">{t('context.share')}</th>
            <th className="font-medium">{t('context.note')}</th>
            <th className="sr-only">{t('context.asSent')}</th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <Row key={`${item.layer}/${item.name}`} item={item} total={estimatedTokens} onOpen={() => onOpen(item)} />
          ))}
        </tbody>
        <tfoot>
          <tr className="font-semibold">
            <td className="py-2">{t('context.total')}</td>
            <td className="max-sm:hidden" />
            <td className="tabular text-right" data-testid="context-total">
              {formatNumber(estimatedTokens)}
            </td>
            <td colSpan={3} />
          </tr>
        </tfoot>
      </table>
    </>
  )
}

function Row({ item, total, onOpen }: { item: ContextItem; total: number; onOpen: () => void }) {
  const isFile = item.layer === 'project' || item.layer === 'logs'
  const name = itemName(item)
  return (
    <tr className="border-b border-soft" data-testid="context-item">
      <td className="py-1">
        {isFile ? (
          <Link href={paths.file(item.name)} className="font-mono text-[12px] hover:underline">
            {item.name}
          </Link>
        ) : (
          <span className={item.layer === 'tools' ? 'font-mono text-[12px]' : ''}>{name}</span>
        )}
        {item.about !== undefined && (
          <span className="ml-2 text-[12px] break-words text-muted max-sm:ml-0 max-sm:block">{item.about}</span>
        )}
      </td>
      <td className="text-muted max-sm:hidden">{t(`context.layers.${item.layer}`)}</td>
      <td className="tabular pl-3 text-right" data-tokens={item.tokens}>
        {formatNumber(item.tokens)}
      </td>
      <td className="tabular pr-6 pl-3 text-right max-sm:pr-3">
        {formatPercent(total === 0 ? 0 : item.tokens / total)}
      </td>
      <td className={item.note === 'cut' ? 'text-warning' : 'whitespace-nowrap text-muted'}>
        {item.note &&
          t(`context.${item.note}`, { raw: formatNumber(item.rawCharacters), sent: formatNumber(item.sentCharacters) })}
      </td>
      <td className="w-8 text-right">
        {item.note !== 'missing' && <IconButton icon={Eye} label={t('context.open', { name })} onClick={onOpen} />}
      </td>
    </tr>
  )
}
