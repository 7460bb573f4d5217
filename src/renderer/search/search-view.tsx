import { t } from 'i18next'
import { Command } from 'cmdk'
import { Search } from 'lucide-react'
import { use, useEffect, useState, type KeyboardEvent } from 'react'
import type { Candidate } from '#shared/contract/index.ts'
import { ErrorState, EmptyState, Skeleton, useTextField } from '#lib/ui/elements.tsx'
import { navigate, paths, type FileLinkState } from '#lib/router/paths.ts'
import { SidePanel, HeaderStart } from '#lib/ui/frames.tsx'
import { ConditionChips, SearchNotices, UnsearchedCount } from './search-notices.tsx'
import { candidateKey, resultGroups } from './candidates.ts'
import { ResultPreview, ResultGroup } from './results.tsx'
import { useLinkedText, useTypedSearch } from './use-typed-search.ts'

const maxRows = 60

export function SearchView({ linkedQuery }: { linkedQuery: string }) {
  const { text, setText, replaceAddress } = useLinkedText(linkedQuery)
  const field = useTextField(text, setText)
  const [selected, setSelected] = useState('')
  const [isPreviewOpen, setIsPreviewOpen] = useState(false)
  const { query, settledText, explanation, error, retry, isBusy, toggleCondition } = useTypedSearch(text)
  useEffect(() => replaceAddress(paths.search(settledText), settledText), [settledText, replaceAddress])
  const groups = explanation ? resultGroups(explanation.candidates) : []
  const candidates = groups.flatMap((group) => group.candidates)
  const [selectedFor, setSelectedFor] = useState<string>()
  if (explanation && explanation.query !== selectedFor) {
    setSelectedFor(explanation.query)
    setSelected(candidates[0] ? candidateKey(candidates[0]) : '')
  }
  const previewed = isPreviewOpen ? candidates.find((candidate) => candidateKey(candidate) === selected) : undefined
  const open = ({ path, startLine, endLine, matched }: Candidate) =>
    navigate(paths.source(path, startLine, endLine), { state: { words: matched } satisfies FileLinkState })
  const explain = (candidate: Candidate) => {
    setSelected(candidateKey(candidate))
    setIsPreviewOpen(true)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') setIsPreviewOpen(false)
    if (event.key !== 'Tab' || event.shiftKey || candidates.length === 0 || isPreviewOpen) return
    event.preventDefault()
    setIsPreviewOpen(true)
  }
  return (
    <section aria-label={t('nav.search')} className="flex min-w-0 flex-1">
      <Command
        shouldFilter={false}
        label={t('nav.search')}
        value={selected}
        onValueChange={setSelected}
        className="flex min-w-0 flex-1 flex-col"
      >
        <div className="flex items-center gap-3 px-5 pt-4 pb-3 max-sm:px-3">
          {use(HeaderStart)}
          <label className="flex min-w-0 flex-1 items-center gap-3 rounded-lg border border-line bg-raised px-4 py-2.5 focus-within:border-accent">
            <Search size={15} aria-hidden className="text-muted" />
            <Command.Input
              autoFocus
              value={field.value}
              onInput={field.onChange}
              onCompositionEnd={field.onCompositionEnd}
              onKeyDown={onKeyDown}
              aria-label={t('nav.search')}
              placeholder={t('search.placeholder')}
              className="min-w-0 flex-1 bg-transparent text-[14px] outline-none placeholder:text-muted"
            />
            <span className="text-[12px] whitespace-nowrap text-muted max-md:hidden">{t('search.keys')}</span>
          </label>
        </div>
        {explanation && query !== '' && (
          <ConditionChips conditions={explanation.conditions} onToggle={toggleCondition} />
        )}
        <div aria-busy={isBusy} className="min-h-0 flex-1 overflow-y-auto px-2.5 pb-8">
          {error ? (
            <ErrorState error={error} onRetry={retry} />
          ) : query === '' ? (
            <EmptyState title={t('search.empty')} hint={t('condition.hint')} />
          ) : explanation ? (
            <>
              <SearchNotices explanation={explanation} />
              {candidates.length === 0 && (
                <>
                  <EmptyState title={t('search.nothing', { query })} hint={t('search.nothingHint')} />
                  <UnsearchedCount />
                </>
              )}
              {candidates.length > 0 &&
                groups.every(({ name, candidates: { length } }) => name === 'weak' || length === 0) && (
                  <p className="px-2.5 pt-2 text-muted">{t('search.nothing', { query })}</p>
                )}
              <Command.List label={t('palette.list')}>
                {groups.map(({ name, candidates: members }) => (
                  <ResultGroup
                    key={name}
                    name={name}
                    candidates={members.slice(0, maxRows)}
                    onOpen={open}
                    onWhy={explain}
                  />
                ))}
              </Command.List>
            </>
          ) : (
            <Skeleton lines={9} />
          )}
        </div>
      </Command>
      {previewed && (
        <SidePanel title={t('file.preview')} closing={t('common.close')} onClose={() => setIsPreviewOpen(false)}>
          <ResultPreview key={candidateKey(previewed)} query={query} candidate={previewed} />
        </SidePanel>
      )}
    </section>
  )
}
