import { t } from 'i18next'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Agent, ConnectableProgram } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { ErrorState, ErrorText } from '#lib/feedback/error-state.tsx'
import { Patch } from '#lib/diff-view/patch.tsx'
import { Button } from '#lib/ui/button.tsx'
import { Skeleton } from '#lib/ui/states.tsx'

export function ConnectPrograms({ agent }: { agent: Agent }) {
  const programs = useQuery(api.clients.programs.queryOptions({ input: { agent: agent.id } }))
  if (programs.error) return <ErrorState error={programs.error} onRetry={() => void programs.refetch()} />
  if (!programs.data) return <Skeleton lines={6} />
  const installed = programs.data.filter(({ isThere }) => isThere)
  const notInstalled = programs.data.filter(({ isThere }) => !isThere)
  return (
    <div className="flex flex-col gap-3">
      {installed.length === 0 && <p className="text-muted">{t('clients.noneFound')}</p>}
      {installed.map((program) => (
        <ProgramRow key={program.id} agent={agent.id} program={program} />
      ))}
      {notInstalled.length > 0 && (
        <details>
          <summary className="text-muted">{t('clients.notFound', { count: notInstalled.length })}</summary>
          <div className="flex flex-col gap-3 pt-3">
            {notInstalled.map((program) => (
              <ProgramRow key={program.id} agent={agent.id} program={program} />
            ))}
          </div>
        </details>
      )}
    </div>
  )
}

const stateColors = { none: 'bg-faint', connected: 'bg-good', other: 'bg-warning' } as const

function ProgramRow({ agent, program }: { agent: string; program: ConnectableProgram }) {
  const { id, name, file, state, patch, link, problem } = program
  const [isPatchShown, setIsPatchShown] = useState(false)
  const queries = useQueryClient()
  const onSettled = () => void queries.invalidateQueries({ queryKey: api.clients.programs.key() })
  const test = useMutation(api.clients.test.mutationOptions({ meta: { handlesError: true } }))
  const connect = useMutation(
    api.clients.connect.mutationOptions({
      onSettled,
      onSuccess: () => {
        setIsPatchShown(false)
        test.mutate({ program: id, agent })
      },
    }),
  )
  const disconnect = useMutation(api.clients.disconnect.mutationOptions({ onSettled, onSuccess: () => test.reset() }))
  return (
    <section aria-label={name} className="flex flex-col gap-2.5 rounded-md border border-line px-4 py-3">
      <header className="flex flex-wrap items-center gap-2.5">
        <span aria-hidden className={`size-2 shrink-0 rounded-full ${stateColors[state]}`} />
        <h3 className="font-semibold">{name}</h3>
        <span className="min-w-24 flex-1 text-[12px] text-muted">{t(`clients.state_${state}`)}</span>
        {state === 'connected' && (
          <>
            <Button disabled={test.isPending} onClick={() => test.mutate({ program: id, agent })}>
              {t('clients.test')}
            </Button>
            <Button disabled={disconnect.isPending} onClick={() => disconnect.mutate({ program: id })}>
              {t('clients.disconnect')}
            </Button>
          </>
        )}
        {state !== 'connected' && problem === null && !isPatchShown && (
          <Button onClick={() => setIsPatchShown(true)}>{t('clients.connect')}</Button>
        )}
      </header>
      {problem !== null && <p className="break-words text-warning">{problem}</p>}
      {isPatchShown && state !== 'connected' && (
        <>
          <p className="text-[12px] text-muted">
            {t('clients.willWrite')} <span className="font-mono break-all">{file}</span>
          </p>
          <div className="rounded-sm border border-line">
            <Patch patch={patch} isSmall />
          </div>
          <div className="flex flex-wrap items-center gap-2">
            <Button look="primary" disabled={connect.isPending} onClick={() => connect.mutate({ program: id, agent })}>
              {t('clients.write')}
            </Button>
            <Button onClick={() => setIsPatchShown(false)}>{t('common.cancel')}</Button>
            {link !== undefined && (
              <a href={link} className="text-accent hover:underline">
                {t('clients.openIn', { name })}
              </a>
            )}
          </div>
        </>
      )}
      {test.isPending && <p className="text-[12px] text-muted">{t('clients.testing')}</p>}
      {test.data && <p className="text-[12px] text-good">{t('clients.works', { count: test.data.tools, name })}</p>}
      <ErrorText error={test.error} />
    </section>
  )
}
