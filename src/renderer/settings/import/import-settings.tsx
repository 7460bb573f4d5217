import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Agent, ImportPlan } from '#shared/contract/index.ts'
import { api, queryClient } from '#lib/api/client.ts'
import { ErrorText } from '#lib/feedback/error-state.tsx'
import { Button } from '#lib/ui/button.tsx'
import { download } from '#lib/util/download.ts'
import { ForeignSettingsChoice, takeOverSettings, type SettingsChoice } from './foreign-settings.tsx'
import { ImportPlanView } from './import-plan.tsx'
import { PastImports } from './past-imports.tsx'

export function ImportSettings({ agent }: { agent: Agent }) {
  const { t } = useTranslation()
  const [task, setTask] = useState({ path: '', into: 'memory/imports', withAttachments: true })
  const memories = useQuery(api.import.known.queryOptions())
  // The old plan stays visible while a new one loads.
  const [shownPlan, setShownPlan] = useState<ImportPlan>()
  const plan = useMutation(
    api.import.plan.mutationOptions({
      meta: { handlesError: true },
      onSuccess: setShownPlan,
      onError: () => setShownPlan(undefined),
    }),
  )
  const clearPlan = () => {
    setShownPlan(undefined)
    plan.reset()
  }
  const fields = [
    { name: 'path', label: t('import.source'), hint: t('import.sourceHint') },
    { name: 'into', label: t('import.into'), hint: undefined },
  ] as const
  const preview = (change: Partial<typeof task> = {}) => {
    setTask({ ...task, ...change })
    plan.mutate({ agent: agent.id, ...task, ...change })
  }
  return (
    <>
      {memories.data && memories.data.length > 0 && (
        <section aria-label={t('import.found')} className="flex flex-col gap-1">
          <h3 className="font-medium">{t('import.found')}</h3>
          {memories.data.map((memory) => (
            <p key={memory.path} className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <span className="w-40">{t(`import.kind.${memory.kind}`)}</span>
              <span className="min-w-0 flex-[1_1_200px] font-mono text-[12px] break-all text-muted">{memory.path}</span>
              <span className="tabular text-muted">{t('nav.files', { count: memory.files })}</span>
              <Button onClick={() => preview({ path: memory.path })}>{t('import.look')}</Button>
            </p>
          ))}
        </section>
      )}
      <ForeignSettings />
      <form
        onSubmit={(event) => {
          event.preventDefault()
          preview()
        }}
        className="flex flex-col gap-2"
      >
        {fields.map(({ name, label, hint }) => (
          <label key={name} className="flex flex-col gap-1">
            {label}
            <input
              value={task[name]}
              spellCheck={false}
              onChange={(event) => {
                setTask({ ...task, [name]: event.target.value })
                clearPlan()
              }}
              className="rounded-sm border border-line bg-raised px-2.5 py-1.5 font-mono text-[12px] outline-none focus:border-accent"
            />
            {hint !== undefined && <span className="text-[12px] text-muted">{hint}</span>}
          </label>
        ))}
        <div>
          <Button type="submit" disabled={task.path.trim() === '' || plan.isPending}>
            {t(plan.isPending ? 'import.looking' : 'import.look')}
          </Button>
        </div>
      </form>
      <ErrorText error={plan.error} />
      {shownPlan && (
        <ImportPlanView
          task={{ agent: agent.id, ...task }}
          plan={shownPlan}
          onAttachments={(withAttachments) => preview({ withAttachments })}
          onDone={clearPlan}
        />
      )}
      <PastImports agent={agent.id} />
      <Export agent={agent} />
    </>
  )
}

function ForeignSettings() {
  const { t } = useTranslation()
  const foreign = useQuery(api.import.settings.queryOptions({ input: {} }))
  const [choice, setChoice] = useState<SettingsChoice>(new Map())
  const takeOver = useMutation({
    mutationFn: () => takeOverSettings(t, choice),
    onSettled: () => {
      setChoice(new Map())
      return queryClient.invalidateQueries()
    },
  })
  if (!foreign.data || foreign.data.length === 0) return null
  return (
    <section aria-label={t('import.settingsFound')} className="flex flex-col gap-2">
      <h3 className="font-medium">{t('import.settingsFound')}</h3>
      {foreign.data.map((source) => (
        <ForeignSettingsChoice key={source.file} settings={source} choice={choice} onChoose={setChoice} />
      ))}
      <div>
        <Button disabled={choice.size === 0 || takeOver.isPending} onClick={() => takeOver.mutate()}>
          {t('onboarding.takeOver')}
        </Button>
      </div>
    </section>
  )
}

function Export({ agent }: { agent: Agent }) {
  const { t } = useTranslation()
  const [withHistory, setWithHistory] = useState(false)
  const pack = useMutation(
    api.import.pack.mutationOptions({
      onSuccess: (zip) => download(`${agent.name}.zip`, zip),
    }),
  )
  return (
    <div className="flex flex-col items-start gap-1 border-t border-line pt-4">
      <Button disabled={pack.isPending} onClick={() => pack.mutate({ agent: agent.id, withHistory })}>
        {t(pack.isPending ? 'import.exporting' : 'import.export')}
      </Button>
      <label className="flex items-center gap-2">
        <input type="checkbox" checked={withHistory} onChange={() => setWithHistory(!withHistory)} />
        {t('import.exportHistory')}
      </label>
      <p className="text-[12px] text-muted">{t('import.exportHint', { workspace: agent.workspace })}</p>
    </div>
  )
}
