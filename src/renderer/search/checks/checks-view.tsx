import { useMutation, useQuery } from '@tanstack/react-query'
import { Play, Download, Upload } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useRef, useState } from 'react'
import { toast } from 'sonner'
import type { Agent } from '#shared/contract/index.ts'
import { api, client } from '#lib/api/client.ts'
import { ErrorState } from '#lib/feedback/error-state.tsx'
import { Button } from '#lib/ui/button.tsx'
import { EmptyState, Skeleton } from '#lib/ui/states.tsx'
import { InspectTabs } from '#lib/ui/inspect-tabs.tsx'
import { download } from '#lib/util/download.ts'
import { parseLines } from '#shared/util/file-lines.ts'
import { PassChart } from './pass-chart.tsx'
import { CheckRow } from './check-row.tsx'
import { FileLinesField } from '../../editor/find/file-lines-field.tsx'

export function ChecksView({ agent: { id: agent } }: { agent: Agent }) {
  const { t } = useTranslation()
  const list = useQuery(api.checks.list.queryOptions({ input: { agent } }))
  const run = useMutation(api.checks.run.mutationOptions())
  const stop = useMutation(api.checks.stop.mutationOptions())
  const { checks = [], runs = [], progress = null } = list.data ?? {}
  const checked = checks.filter(({ outcome }) => outcome !== null)
  const passed = checked.filter(({ outcome }) => outcome?.rank !== null).length
  return (
    <section aria-label={t('checks.title')} className="flex min-w-0 flex-1 flex-col">
      <InspectTabs>
        <Transfer agent={agent} isEmpty={checks.length === 0} />
        {progress ? (
          <Button onClick={() => stop.mutate({ agent })}>
            <progress aria-label={t('checks.running')} value={progress.done} max={progress.total} className="w-16" />
            {t('common.cancel')}
          </Button>
        ) : (
          <Button look="primary" disabled={checks.length === 0} onClick={() => run.mutate({ agent })}>
            <Play size={13} aria-hidden />
            {t('checks.run')}
          </Button>
        )}
      </InspectTabs>
      <div className="min-h-0 flex-1 overflow-y-auto pb-8">
        {list.error ? (
          <ErrorState error={list.error} onRetry={() => void list.refetch()} />
        ) : list.isPending ? (
          <Skeleton lines={9} />
        ) : (
          <>
            <NewCheck agent={agent} />
            {checks.length === 0 ? (
              <EmptyState title={t('checks.empty')} hint={t('checks.emptyHint')} />
            ) : (
              <>
                <div className="flex flex-wrap items-start justify-between gap-4 px-5 pb-3">
                  <p role="status" className="text-[15px] font-semibold" data-testid="pass-rate">
                    {t('checks.rate', { passed, total: checked.length })}
                  </p>
                  <PassChart runs={runs} />
                </div>
                <ul>
                  {checks.map((check) => (
                    <CheckRow key={check.id} agent={agent} check={check} />
                  ))}
                </ul>
              </>
            )}
          </>
        )}
      </div>
    </section>
  )
}

function Transfer({ agent, isEmpty }: { agent: string; isEmpty: boolean }) {
  const { t } = useTranslation()
  const input = useRef<HTMLInputElement>(null)
  const importFile = useMutation({
    mutationFn: async (file: File) => client.checks.import({ agent, text: await file.text() }),
    onSuccess: ({ added }) => toast.success(t('checks.imported', { count: added })),
  })
  const exportFile = useMutation(
    api.checks.export.mutationOptions({ onSuccess: ({ text }) => download('queries.jsonl', text) }),
  )
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".jsonl,.ndjson"
        aria-label={t('checks.import')}
        className="hidden"
        onChange={(event) => {
          const file = event.target.files?.[0]
          if (file) importFile.mutate(file)
          event.target.value = ''
        }}
      />
      <Button look="quiet" onClick={() => input.current?.click()}>
        <Upload size={13} aria-hidden />
        {t('checks.import')}
      </Button>
      <Button look="quiet" disabled={isEmpty} onClick={() => exportFile.mutate({ agent })}>
        <Download size={13} aria-hidden />
        {t('checks.export')}
      </Button>
    </>
  )
}

function NewCheck({ agent }: { agent: string }) {
  const { t } = useTranslation()
  const [query, setQuery] = useState('')
  const [place, setPlace] = useState('')
  const lines = parseLines(place)
  const add = useMutation(
    api.checks.add.mutationOptions({
      onSuccess: () => {
        setQuery('')
        setPlace('')
      },
    }),
  )
  return (
    <form
      className="flex flex-wrap gap-2 px-5 py-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (lines && query.trim() !== '') add.mutate({ agent, question: { query, relevant: [lines] } })
      }}
    >
      <input
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        aria-label={t('checks.question')}
        placeholder={t('checks.question')}
        className="min-h-7 min-w-[min(100%,14rem)] flex-1 rounded-sm border border-line bg-raised px-2 outline-none focus:border-accent placeholder:text-muted"
      />
      <FileLinesField
        agent={agent}
        value={place}
        label={t('checks.lines')}
        sample="memory/2026-01-20.md:12-14"
        className="w-64 placeholder:text-muted"
        onChange={setPlace}
      />
      <Button type="submit" disabled={!lines || query.trim() === '' || add.isPending}>
        {t('checks.add')}
      </Button>
    </form>
  )
}
