/** A question and the lines that it should find, typed in. */
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '#lib/api/client.ts'
import { Button } from '#lib/ui/button.tsx'
import { parseLines } from '#lib/router/paths.ts'
import { FileLinesField } from '../../editor/find/file-lines-field.tsx'

export function NewCheck({ agent }: { agent: string }) {
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
