/** Checks in and out as a file. */
import { useMutation } from '@tanstack/react-query'
import { Download, Upload } from 'lucide-react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import { api, client } from '#lib/api/client.ts'
import { Button } from '#lib/ui/button.tsx'
import { download } from '#lib/util/download.ts'

/** In and out in the form that `commonplace eval` reads too. */
export function Transfer({ agent, isEmpty }: { agent: string; isEmpty: boolean }) {
  const { t } = useTranslation()
  const input = useRef<HTMLInputElement>(null)
  const take = useMutation({
    mutationFn: async (file: File) => client.checks.import({ agent, text: await file.text() }),
    onSuccess: ({ added }) => toast.success(t('checks.imported', { count: added })),
  })
  const save = useMutation(
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
          if (file) take.mutate(file)
          event.target.value = ''
        }}
      />
      <Button look="quiet" onClick={() => input.current?.click()}>
        <Upload size={13} aria-hidden />
        {t('checks.import')}
      </Button>
      <Button look="quiet" disabled={isEmpty} onClick={() => save.mutate({ agent })}>
        <Download size={13} aria-hidden />
        {t('checks.export')}
      </Button>
    </>
  )
}
