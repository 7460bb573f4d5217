import { useMutation, useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import type { Agent, ImportPlan } from '#shared/contract/index.ts'
import { api, client, queryClient } from '#lib/api/client.ts'
import { explainError } from '#lib/feedback/explain.ts'
import { Button } from '#lib/ui/button.tsx'
import { downloadBlob } from '#lib/util/download.ts'
import { ForeignSettingsChoice } from './foreign-settings.tsx'
import { ImportPlanView } from './import-plan.tsx'
import { PastImports } from './past-imports.tsx'

export function ImportSettings({ agent }: { agent: Agent }) {
  const { t } = useTranslation()
  const [path, setPath] = useState('')
  const [into, setInto] = useState('memory/imports')
  const known = useQuery(api.import.known.queryOptions())
  // The old plan stays visible while a new one loads.
  const [planned, setPlanned] = useState<ImportPlan>()
  const plan = useMutation(
    api.import.plan.mutationOptions({
      meta: { handlesError: true },
      onSuccess: setPlanned,
      onError: () => setPlanned(undefined),
    }),
  )
  const forget = () => {
    setPlanned(undefined)
    plan.reset()
  }
  const [withAttachments, setWithAttachments] = useState(true)
  const choose = (source: string) => {
    setPath(source)
    plan.mutate({ agent: agent.id, path: source, into, withAttachments })
  }
  const look = (event: FormEvent) => {
    event.preventDefault()
    plan.mutate({ agent: agent.id, path, into, withAttachments })
  }
  const lookAgain = (isWanted: boolean) => {
    setWithAttachments(isWanted)
    plan.mutate({ agent: agent.id, path, into, withAttachments: isWanted })
  }
  return (
    <>
      {known.data && known.data.length > 0 && (
        <section aria-label={t('import.found')} className="flex flex-col gap-1">
          <h3 className="font-medium">{t('import.found')}</h3>
          {known.data.map((memory) => (
            <p key={memory.path} className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <span className="w-40">{t(`import.kind.${memory.kind}`)}</span>
              <span className="min-w-0 flex-[1_1_200px] font-mono text-[12px] break-all text-muted">{memory.path}</span>
              <span className="tabular text-muted">{t('nav.files', { count: memory.files })}</span>
              <Button onClick={() => choose(memory.path)}>{t('import.look')}</Button>
            </p>
          ))}
        </section>
      )}
      <ForeignSettings />
      <form onSubmit={look} className="flex flex-col gap-2">
        <label className="flex flex-col gap-1">
          {t('import.source')}
          <input
            value={path}
            spellCheck={false}
            onChange={(event) => {
              setPath(event.target.value)
              forget()
            }}
            className={fieldLook}
          />
          <span className="text-[12px] text-muted">{t('import.sourceHint')}</span>
        </label>
        <label className="flex flex-col gap-1">
          {t('import.into')}
          <input
            value={into}
            spellCheck={false}
            onChange={(event) => {
              setInto(event.target.value)
              forget()
            }}
            className={fieldLook}
          />
        </label>
        <div>
          <Button type="submit" disabled={path.trim() === '' || plan.isPending}>
            {t(plan.isPending ? 'import.looking' : 'import.look')}
          </Button>
        </div>
      </form>
      {plan.error && (
        <p role="alert" className="text-bad">
          {explainError(plan.error)}
        </p>
      )}
      {planned && (
        <ImportPlanView
          key={path + into}
          agent={agent.id}
          path={path}
          into={into}
          withAttachments={withAttachments}
          plan={planned}
          onAttachments={lookAgain}
          onDone={forget}
        />
      )}
      <PastImports agent={agent.id} />
      <Export agent={agent} />
    </>
  )
}

function ForeignSettings() {
  const { t } = useTranslation()
  const found = useQuery(api.import.settings.queryOptions())
  const [chosen, setChosen] = useState<readonly string[]>([])
  const takeOver = useMutation({
    mutationFn: async () => {
      for (const file of chosen) {
        const { taken, left } = await client.import.takeOver({ file })
        toast.success(t('onboarding.tookOver', { taken: taken.length, left: left.length }))
      }
    },
    onSettled: () => {
      setChosen([])
      return queryClient.invalidateQueries()
    },
  })
  if (!found.data || found.data.length === 0) return null
  return (
    <section aria-label={t('import.settingsFound')} className="flex flex-col gap-2">
      <h3 className="font-medium">{t('import.settingsFound')}</h3>
      {found.data.map((one) => (
        <ForeignSettingsChoice
          key={one.file}
          found={one}
          isTaken={chosen.includes(one.file)}
          onToggle={() =>
            setChosen(chosen.includes(one.file) ? chosen.filter((file) => file !== one.file) : [...chosen, one.file])
          }
        />
      ))}
      <div>
        <Button disabled={chosen.length === 0 || takeOver.isPending} onClick={() => takeOver.mutate()}>
          {t('onboarding.takeOver')}
        </Button>
      </div>
    </section>
  )
}

const fieldLook =
  'rounded-sm border border-line bg-raised px-2.5 py-1.5 font-mono text-[12px] outline-none focus:border-accent'

function Export({ agent }: { agent: Agent }) {
  const { t } = useTranslation()
  const [withHistory, setWithHistory] = useState(false)
  const pack = useMutation(
    api.import.pack.mutationOptions({
      onSuccess: (zip) => downloadBlob(`commonplace-${agent.id}.zip`, zip),
    }),
  )
  return (
    <div className="flex flex-col items-start gap-1 border-t border-line pt-4">
      <Button disabled={pack.isPending} onClick={() => pack.mutate({ agent: agent.id, withHistory })}>
        {t(pack.isPending ? 'import.exporting' : 'import.export')}
      </Button>
      <label className="flex items-center gap-2">
        <input type="checkbox" checked={withHistory} onChange={(event) => setWithHistory(event.target.checked)} />
        {t('import.exportHistory')}
      </label>
      <p className="text-[12px] text-muted">{t('import.exportHint', { workspace: agent.workspace })}</p>
    </div>
  )
}
