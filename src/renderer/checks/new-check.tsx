/** A question and the lines that it should find, typed in. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../api/index.ts'
import { Button } from '../ui/button.tsx'
import { parseLines } from '../navigate.ts'

export function NewCheck({ agent }: { agent: string }) {
  const { t } = useTranslation()
  const files = useQuery(api.workspace.list.queryOptions({ input: { agent } }))
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
  const field =
    'min-h-7 min-w-0 rounded-sm border border-line bg-raised px-2 outline-none focus:border-accent placeholder:text-faint'
  return (
    <form
      className="flex gap-2 px-5 py-3"
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
        className={`${field} flex-1`}
      />
      <input
        value={place}
        list="check-files"
        spellCheck={false}
        onChange={(event) => setPlace(event.target.value)}
        aria-label={t('checks.lines')}
        placeholder="memory/2026-01-20.md:12-14"
        className={`${field} w-64 font-mono text-[12px]`}
      />
      <datalist id="check-files">
        {(files.data ?? []).map(({ path }) => (
          <option key={path} value={`${path}:1`} />
        ))}
      </datalist>
      <Button type="submit" disabled={!lines || query.trim() === '' || add.isPending}>
        {t('checks.add')}
      </Button>
    </form>
  )
}
