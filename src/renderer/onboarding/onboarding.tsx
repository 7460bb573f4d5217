import { useMutation } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { Agent } from '../../shared/contract/index.ts'
import { api, explainError } from '../api/index.ts'
import { currentLocale } from '../i18n/index.ts'
import { Button } from '../ui/button.tsx'

/** The first start: where should the memory live? Everything else has a default. */
export function Onboarding({ agent, suggested }: { agent: Agent; suggested: string }) {
  const { t } = useTranslation()
  const [workspace, setWorkspace] = useState(suggested)
  const setUp = useMutation(api.agents.setUp.mutationOptions())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setUp.mutate({ agent: agent.id, workspace: workspace.trim(), locale: currentLocale() })
  }
  return (
    <main className="flex h-full items-center justify-center overflow-y-auto px-6">
      <form onSubmit={submit} className="flex w-full max-w-[460px] flex-col gap-6">
        <div className="flex flex-col gap-3">
          <img src="/icon.svg" alt="" width={44} height={44} />
          <h1 className="text-[22px] leading-tight font-semibold">{t('onboarding.title')}</h1>
          <p className="text-[14px] text-muted">{t('onboarding.lead')}</p>
        </div>
        <label className="flex flex-col gap-1.5">
          <span className="font-medium">{t('onboarding.folder')}</span>
          <input
            value={workspace}
            onChange={(event) => setWorkspace(event.target.value)}
            spellCheck={false}
            required
            className="rounded-sm border border-line bg-raised px-3 py-2 font-mono text-[12px] outline-none focus:border-accent"
          />
          <span className="text-[12px] text-muted">{t('onboarding.folderHint')}</span>
        </label>
        {setUp.error && (
          <p role="alert" className="text-bad">
            {explainError(setUp.error)}
          </p>
        )}
        <div className="flex items-center gap-4">
          <Button type="submit" look="primary" className="px-4!" disabled={setUp.isPending || workspace.trim() === ''}>
            {t(setUp.isPending ? 'onboarding.starting' : 'onboarding.start')}
          </Button>
          <span className="text-[12px] text-muted">{t('onboarding.offline')}</span>
        </div>
      </form>
    </main>
  )
}
