import { lazy, Suspense, type ComponentType } from 'react'
import { t } from 'i18next'
import { Route, Switch } from 'wouter'
import { navigate, fileAt, paths, useEncodedPath, useParameters } from '#lib/router/paths.ts'
import { Skeleton, EmptyState, Button } from '#lib/ui/elements.tsx'
import { ViewHeader } from '#lib/ui/frames.tsx'
import { ChatView } from '../chat/chat-view.tsx'
import { FileView } from '../editor/file-view.tsx'
import { ChangesView } from '../editor/history.tsx'
import { BrokenView } from '../editor/links.tsx'

const loaders: (() => Promise<unknown>)[] = []

/** Wraps a view that loads when it is first rendered, or earlier through `preloadViewsWhenIdle`. */
export function lazyView<Props>(load: () => Promise<ComponentType<Props>>) {
  loaders.push(load)
  return lazy(async () => ({ default: await load() }))
}

/** A failed load is retried when the view opens. @returns a function that stops the loading */
export function preloadViewsWhenIdle(): () => void {
  let isStopped = false
  const timer = setTimeout(async () => {
    for (const load of loaders) {
      await new Promise<void>((resolve) => requestIdleCallback(() => resolve()))
      if (isStopped) return
      await load().catch(() => undefined)
    }
  }, 3000)
  return () => {
    isStopped = true
    clearTimeout(timer)
  }
}

const ChecksView = lazyView(async () => (await import('../search/past-searches.tsx')).ChecksView)
const ContextView = lazyView(async () => (await import('../chat/context/context-view.tsx')).ContextView)
const FindView = lazyView(async () => (await import('../editor/find-view.tsx')).FindView)
const DeletePermanentlyView = lazyView(
  async () => (await import('../curation/delete-permanently.tsx')).DeletePermanentlyView,
)
const FoundView = lazyView(async () => (await import('../search/found-view.tsx')).FoundView)
const SuggestionsView = lazyView(async () => (await import('../curation/suggestions-view.tsx')).SuggestionsView)
const RecallsView = lazyView(async () => (await import('../search/past-searches.tsx')).RecallsView)
const SearchView = lazyView(async () => (await import('../search/search-view.tsx')).SearchView)
const SettingsView = lazyView(async () => (await import('../settings/settings-view.tsx')).SettingsView)

export function Views() {
  const path = fileAt(useEncodedPath())
  const parameters = useParameters()
  return (
    <Suspense fallback={<Skeleton lines={12} />}>
      <Switch>
        <Route path="/chat/:session">{(params) => <ChatView key={params.session} session={params.session} />}</Route>
        {/* Not `/file/*`: it stops at a line break, which a file name may contain. */}
        <Route path={/^\/file\/[^]/}>{() => <FileView key={path} path={path ?? ''} />}</Route>
        <Route path="/search">
          <SearchView linkedQuery={parameters.get('q') ?? ''} />
        </Route>
        <Route path="/inspect/found">
          <FoundView linkedQuery={parameters.get('q') ?? ''} initialWhy={parameters.get('why') ?? ''} />
        </Route>
        <Route path="/inspect/recalls">
          <RecallsView message={parameters.get('message') ?? undefined} />
        </Route>
        <Route path="/inspect/sent/:session?">{({ session }) => <ContextView session={session} />}</Route>
        <Route path="/inspect/tested" component={ChecksView} />
        <Route path="/">
          <ChatView />
        </Route>
        <Route path="/inbox">
          <SuggestionsView key={parameters.get('proposal')} suggestion={parameters.get('proposal') ?? undefined} />
        </Route>
        <Route path="/find" component={FindView} />
        <Route path="/forget" component={DeletePermanentlyView} />
        <Route path="/links/broken" component={BrokenView} />
        <Route path="/changes" component={ChangesView} />
        <Route path="/settings" component={SettingsView} />
        <Route>
          <NoSuchPage />
        </Route>
      </Switch>
    </Suspense>
  )
}

function NoSuchPage() {
  return (
    <section aria-label={t('nav.noSuchPage')} className="flex min-w-0 flex-1 flex-col">
      <ViewHeader title={t('nav.noSuchPage')} />
      <EmptyState title={t('nav.noSuchPage')} hint={t('nav.noSuchPageHint')}>
        <Button look="primary" onClick={() => navigate(paths.chat())}>
          {t('nav.newChat')}
        </Button>
      </EmptyState>
    </section>
  )
}
