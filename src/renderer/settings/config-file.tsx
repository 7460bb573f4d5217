import { t } from 'i18next'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { toast } from 'sonner'
import type { ConfigProblem } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { ErrorState, Skeleton } from '#lib/ui/states.tsx'
import { explainFault } from '#lib/feedback/explain.ts'
import { Button } from '#lib/ui/button.tsx'
import { useDebounced } from '#lib/util/hooks.ts'
import { useShortcuts } from '#lib/util/shortcuts.ts'

const YamlEditor = lazy(() => import('./yaml-editor.tsx'))

const checkPauseMs = 250
const noProblems: readonly ConfigProblem[] = []

export function ConfigFile() {
  const source = useQuery(api.settings.source.queryOptions())
  if (source.error) return <ErrorState error={source.error} onRetry={() => void source.refetch()} />
  if (!source.data) return <Skeleton lines={12} />
  return <Editor diskText={source.data.text} lastGood={source.data.lastGood} />
}

/** @param lastGood the text in use while the file has problems */
function Editor({ diskText, lastGood }: { diskText: string; lastGood: string | undefined }) {
  /** The version on which the edits are based, and the text shown without edits. */
  const [base, setBase] = useState(diskText)
  const [content, setContent] = useState({ text: diskText })
  const [text, setText] = useState(diskText)
  const { data: problems = noProblems } = useQuery(
    api.settings.check.queryOptions({
      input: { text: useDebounced(text, checkPauseMs) },
      placeholderData: keepPreviousData,
      // Results of earlier texts are not needed again.
      gcTime: 0,
    }),
  )
  const isChanged = text !== base
  // Shows an external change unless there are edits; then it is merged on save.
  const showText = (newText: string) => {
    setBase(newText)
    setText(newText)
    setContent({ text: newText })
  }
  if (!isChanged && diskText !== base) showText(diskText)
  const saving = useMutation(
    api.settings.save.mutationOptions({
      onSuccess(saved) {
        showText(saved.text)
        toast.success(t(saved.isMerged ? 'file.merged' : 'settings.saved'))
      },
    }),
  )
  const save = () => saving.mutate({ text, baseText: base })
  useShortcuts({ 'Mod+S': save })
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <div className="flex min-h-10 flex-wrap items-center gap-x-3 border-b border-line px-5 py-1">
        <p role="status" className={`min-w-0 flex-1 truncate ${problems.length > 0 ? 'text-bad' : 'text-muted'}`}>
          {problems[0]
            ? t('settings.problem', {
                line: problems[0].line ?? 1,
                message: [problems[0].key, explainFault(problems[0])].filter(Boolean).join(': '),
              })
            : t(isChanged ? 'settings.notSaved' : 'settings.fine')}
        </p>
        {lastGood !== undefined && text !== lastGood && (
          <Button
            onClick={() => {
              setText(lastGood)
              setContent({ text: lastGood })
            }}
          >
            {t('settings.useLastGood')}
          </Button>
        )}
        <Button look="quiet" disabled={!isChanged} onClick={() => showText(diskText)}>
          {t('settings.revert')}
        </Button>
        <Button
          look="primary"
          disabled={!isChanged || problems.some(({ fault }) => fault !== 'unknown')}
          onClick={save}
        >
          {t('file.save')}
        </Button>
      </div>
      <Suspense fallback={<Skeleton lines={12} />}>
        <YamlEditor label="config.yaml" content={content} problems={problems} onChange={setText} />
      </Suspense>
    </div>
  )
}
