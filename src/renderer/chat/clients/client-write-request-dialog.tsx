import { useMutation, useQuery } from '@tanstack/react-query'
import { t } from 'i18next'
import type { WriteRequest } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { Button } from '#lib/ui/button.tsx'

export function ClientWriteRequestDialog() {
  const { data: requests = [] } = useQuery(api.clients.questions.queryOptions())
  const [first] = requests
  return first ? <RequestCard key={first.id} request={first} otherCount={requests.length - 1} /> : null
}

function RequestCard({ request, otherCount }: { request: WriteRequest; otherCount: number }) {
  const { id, name, text, section } = request
  const answer = useMutation(api.clients.answer.mutationOptions())
  const decide = (decision: 'once' | 'always' | 'no') => answer.mutate({ id, decision })
  return (
    <section
      role="alertdialog"
      aria-label={t('clients.question', { name })}
      className="fixed right-4 bottom-12 z-30 flex w-96 max-w-[calc(100vw-2rem)] flex-col gap-2 rounded-md border border-line bg-raised px-3.5 py-3 shadow-float"
      data-testid="client-question"
    >
      <p className="font-medium">{t('clients.question', { name })}</p>
      {section !== undefined && <p className="text-[12px] text-muted">{t('clients.inSection', { section })}</p>}
      <pre
        className="max-h-40 overflow-auto rounded-sm bg-side p-2 font-mono text-[12px] break-words whitespace-pre-wrap"
        tabIndex={0}
      >
        {text}
      </pre>
      <div className="flex flex-wrap items-center gap-2">
        <Button look="primary" disabled={answer.isPending} onClick={() => decide('once')}>
          {t('permission.once')}
        </Button>
        <Button disabled={answer.isPending} onClick={() => decide('always')}>
          {t('permission.always')}
        </Button>
        <Button disabled={answer.isPending} onClick={() => decide('no')}>
          {t('permission.deny')}
        </Button>
        {otherCount > 0 && <span className="text-[12px] text-muted">{t('clients.more', { count: otherCount })}</span>}
      </div>
    </section>
  )
}
