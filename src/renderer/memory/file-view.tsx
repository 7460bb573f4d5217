import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { toast } from 'sonner'
import type { Agent } from '../../shared/contract/index.ts'
import { api, client, explainError, isErrorOf } from '../api/index.ts'
import { Markdown } from '../chat/markdown/markdown.tsx'
import { Button } from '../ui/button.tsx'
import { showKeys, useShortcuts } from '../ui/keys.ts'
import { lineOfHash, useHash } from '../ui/navigate.ts'
import { EmptyState, ErrorState, Skeleton } from '../ui/states.tsx'
import { ViewHeader } from '../ui/view-header.tsx'

/** Monaco is heavy: it is loaded when a file is first opened. */
const Editor = lazy(() => import('./editor.tsx'))

interface Saved {
  readonly text: string
  /** Null while the file does not exist yet. */
  readonly hash: string | null
}

export function FileView({ agent, path }: { agent: Agent; path: string }) {
  const { t } = useTranslation()
  const file = useQuery(api.files.read.queryOptions({ input: { agent: agent.id, path } }))
  const [isNew, setIsNew] = useState(false)
  if (file.data) return <OpenFile agent={agent} path={path} disk={file.data} />
  if (isNew) return <OpenFile agent={agent} path={path} disk={{ text: '', hash: null }} />
  return (
    <section className="flex min-w-0 flex-1 flex-col">
      <ViewHeader title={<span className="font-mono text-[13px]">{path}</span>} />
      {isErrorOf(file.error, 'file_not_found') ? (
        <EmptyState title={t('file.notFound', { path })}>
          <Button onClick={() => setIsNew(true)}>{t('file.create')}</Button>
        </EmptyState>
      ) : file.error ? (
        <ErrorState error={file.error} onRetry={() => void file.refetch()} />
      ) : (
        <Skeleton lines={12} />
      )}
    </section>
  )
}

type SaveState = 'saved' | 'saving' | 'unsaved' | 'conflict'

function OpenFile({ agent, path, disk }: { agent: Agent; path: string; disk: Saved }) {
  const { t } = useTranslation()
  const [text, setText] = useState(disk.text)
  const [content, setContent] = useState({ text: disk.text })
  const [state, setState] = useState<SaveState>('saved')
  const [hasPreview, setHasPreview] = useState(false)
  const line = lineOfHash(useHash())
  const latest = useRef({ text, saved: disk })

  const keep = useCallback((saved: Saved) => {
    latest.current = { ...latest.current, saved }
  }, [])

  /** Takes a state of the file that did not come from typing. */
  const show = useCallback((file: Saved) => {
    latest.current = { text: file.text, saved: file }
    setText(file.text)
    setContent({ text: file.text })
  }, [])

  // Somebody else wrote the file: show it, unless there is something of ours that it would replace.
  useEffect(() => {
    const { text: mine, saved: base } = latest.current
    if (disk.hash !== base.hash && mine === base.text) show(disk)
  }, [disk, show])

  const save = useCallback(async () => {
    const { text: mine, saved: base } = latest.current
    if (mine === base.text && base.hash !== null) return
    setState('saving')
    try {
      const result = await client.files.write({
        agent: agent.id,
        path,
        text: mine,
        expectedHash: base.hash,
        baseText: base.text,
      })
      if (result.merged && latest.current.text === mine) show(result)
      // Typed on meanwhile: what was merged in is not in the editor yet. An old hash makes the next save merge again.
      else keep({ text: mine, hash: result.merged ? base.hash : result.hash })
      if (result.merged) toast.info(t('file.merged'))
      setState(latest.current.text === mine ? 'saved' : 'unsaved')
    } catch (error) {
      setState(isErrorOf(error, 'file_changed') ? 'conflict' : 'unsaved')
      if (!isErrorOf(error, 'file_changed')) toast.error(explainError(error))
    }
  }, [agent.id, path, keep, show, t])

  useShortcuts({ 'Mod+S': () => void save() })
  useSaveOnLeaving(save)

  const keepMine = async () => {
    keep(await client.files.read({ agent: agent.id, path }))
    await save()
  }
  const takeTheirs = async () => {
    const theirs = await client.files.read({ agent: agent.id, path })
    show(theirs)
    setState('saved')
  }

  return (
    <section className="flex min-w-0 flex-1 flex-col">
      <ViewHeader title={<span className="font-mono text-[13px]">{path}</span>} aside={<SaveNote state={state} />}>
        <Button
          look="quiet"
          aria-pressed={hasPreview}
          className="aria-pressed:text-text"
          onClick={() => setHasPreview(!hasPreview)}
        >
          {t('file.preview')}
        </Button>
        <Button
          disabled={state === 'saved' || state === 'saving'}
          onClick={() => void save()}
          title={showKeys('Mod+S')}
        >
          {t('file.save')}
        </Button>
      </ViewHeader>
      {state === 'conflict' && (
        <div role="alert" className="flex items-center gap-3 border-b border-line bg-found px-5 py-2">
          <span className="flex-1">{t('file.conflict')}</span>
          <Button onClick={() => void keepMine()}>{t('file.keepMine')}</Button>
          <Button onClick={() => void takeTheirs()}>{t('file.takeTheirs')}</Button>
        </div>
      )}
      <div className="flex min-h-0 flex-1">
        <div className="min-w-0 flex-1">
          <Suspense fallback={<p className="p-5 text-muted">{t('file.loading')}</p>}>
            <Editor
              content={content}
              line={line}
              label={t('file.editor', { path })}
              onChange={(value) => {
                latest.current = { ...latest.current, text: value }
                setText(value)
                setState((before) =>
                  before === 'conflict' ? before : value === latest.current.saved.text ? 'saved' : 'unsaved',
                )
              }}
            />
          </Suspense>
        </div>
        {hasPreview && (
          <div className="min-w-0 flex-1 overflow-y-auto border-l border-line px-6 py-4">
            <Markdown text={text} agent={agent.id} />
          </div>
        )}
      </div>
    </section>
  )
}

function SaveNote({ state }: { state: SaveState }) {
  const { t } = useTranslation()
  return <span role="status">{t(state === 'conflict' ? 'file.unsaved' : `file.${state}`)}</span>
}

/** Leaving the view, the tab or the window saves. */
function useSaveOnLeaving(save: () => Promise<void>): void {
  useEffect(() => {
    const onHide = () => void save()
    window.addEventListener('blur', onHide)
    document.addEventListener('visibilitychange', onHide)
    return () => {
      window.removeEventListener('blur', onHide)
      document.removeEventListener('visibilitychange', onHide)
      void save()
    }
  }, [save])
}
