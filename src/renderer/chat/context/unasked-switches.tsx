import { t } from 'i18next'
import { toast } from 'sonner'
import type { Agent, ContextItem, ContextReport } from '#shared/contract/index.ts'
import { isLongTermPath } from '#shared/util/agent-files.ts'
import { explainError } from '#lib/feedback/explain.ts'
import { formatNumber } from '#lib/i18n/format.ts'
import { useSettings } from '../../settings/use-settings.ts'

/** What a request contains unasked, by setting, with the test for its rows of the report. */
const parts: readonly { name: 'longTerm' | 'logs' | 'summaries' | 'recall'; has: (item: ContextItem) => boolean }[] = [
  { name: 'longTerm', has: ({ layer, name }) => layer === 'project' && isLongTermPath(name) },
  { name: 'logs', has: ({ layer, name }) => layer === 'logs' && /[\d-]{10}\.md$/.test(name) },
  { name: 'summaries', has: ({ layer, name }) => layer === 'logs' && !/[\d-]{10}\.md$/.test(name) },
  { name: 'recall', has: ({ layer }) => layer === 'recalled' },
]

export function UnaskedSwitches({ agent, report }: { agent: Agent; report: ContextReport }) {
  const { settings } = useSettings(agent)
  if (!settings) return null
  const scope = settings.hasOwnEntry ? 'agent' : 'all'
  return (
    <fieldset className="mt-6 flex flex-wrap gap-x-6 gap-y-1 text-[12px]">
      <legend className="float-left mr-6 text-muted">{t('context.unasked.title')}</legend>
      {parts.map(({ name, has }) => {
        const setting = settings.all.find(({ row }) => row.path.join('.') === `chat.context.${name}`)
        if (!setting) return null
        const tokens = report.items.filter(has).reduce((sum, item) => sum + item.tokens, 0)
        return (
          <label key={name} className="flex items-center gap-1.5">
            <input
              type="checkbox"
              role="switch"
              className="accent-accent"
              checked={settings.effectiveValue(setting, scope) !== false}
              onChange={({ target }) =>
                settings.set(setting, scope, target.checked, (refusal) => refusal && toast.error(explainError(refusal)))
              }
            />
            {t(`context.unasked.${name}`)} <span className="tabular text-muted">{formatNumber(tokens)}</span>
          </label>
        )
      })}
    </fieldset>
  )
}
