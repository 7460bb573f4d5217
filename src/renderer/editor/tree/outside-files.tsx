import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { api, queryClient } from '#lib/api/client.ts'
import { paths } from '#lib/router/paths.ts'
import { Button } from '#lib/ui/button.tsx'

const maxShown = 200

/** Lists the files that other programs added, until the user accepts them. */
export function OutsideFiles({ agent }: { agent: string }) {
  const { t } = useTranslation()
  const { data: files = [] } = useQuery(api.workspace.outside.queryOptions({ input: { agent } }))
  const refetch = () => queryClient.invalidateQueries({ queryKey: api.workspace.outside.key() })
  const accept = useMutation(api.workspace.accept.mutationOptions({ onSuccess: refetch }))
  const acceptAll = () => accept.mutate({ agent, paths: files })
  if (files.length === 0) return null
  return (
    <div role="status" data-testid="outside-files" className="mx-2 mb-1 rounded-sm bg-soft px-2 py-1.5 text-[12px]">
      {t('outside.added', { count: files.length })}{' '}
      <Button look="link" className="px-0!" disabled={accept.isPending} onClick={acceptAll}>
        {t('outside.accept')}
      </Button>
      <details>
        <summary className="cursor-pointer text-muted">{t('outside.show')}</summary>
        <p className="text-muted">{t('outside.why')}</p>
        <ul className="max-h-48 overflow-y-auto">
          {files.slice(0, maxShown).map((path) => (
            <li key={path} className="break-all">
              <Link href={paths.file(path)} className="text-accent hover:underline">
                {path}
              </Link>
            </li>
          ))}
        </ul>
      </details>
    </div>
  )
}
