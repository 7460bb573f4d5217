/** The tags and properties of all notes, with how many have each. */
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Agent } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { ErrorState } from '#lib/feedback/error-state.tsx'
import { SearchTabs } from '#lib/ui/search-tabs.tsx'
import { Choice } from '#lib/ui/choice.tsx'
import { FilterField } from '#lib/ui/search-field.tsx'
import { EmptyState, Skeleton } from '#lib/ui/states.tsx'
import { PropertyList } from './property-list.tsx'
import { RenameTag } from './rename-tag.tsx'
import { rowsOf, type TagOrder } from './tag-rows.ts'
import { TagTree } from './tag-tree.tsx'

const orders = ['name', 'notes'] as const satisfies readonly TagOrder[]

export function TagsView({ agent }: { agent: Agent }) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState('')
  const [order, setOrder] = useState<TagOrder>('name')
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [renamed, setRenamed] = useState<string>()
  const found = useQuery(api.tags.list.queryOptions({ input: { agent: agent.id } }))
  const { tags = [], properties = [] } = found.data ?? {}
  const rows = useMemo(() => rowsOf(tags, open, typed, order), [tags, open, typed, order])
  const wanted = typed.trim().toLowerCase()
  const fitting = wanted === '' ? properties : properties.filter(({ name }) => name.toLowerCase().includes(wanted))
  return (
    <section aria-label={t('tags.title')} className="flex min-w-0 flex-1 flex-col">
      <SearchTabs />
      <div className="min-h-0 flex-1 overflow-y-auto">
        {found.error ? (
          <ErrorState error={found.error} onRetry={() => void found.refetch()} />
        ) : found.isPending ? (
          <Skeleton lines={9} />
        ) : tags.length + properties.length === 0 ? (
          <EmptyState title={t('tags.none')} hint={t('tags.noneHint')} />
        ) : (
          <div className="mx-auto flex max-w-[1000px] flex-col gap-4 px-8 py-5 max-sm:px-3">
            <div className="flex flex-wrap items-center gap-3">
              <FilterField
                label={t('tags.filter')}
                value={typed}
                onChange={setTyped}
                className="w-64 max-w-full min-w-0"
              />
              <Choice
                label={t('tags.order')}
                value={order}
                options={orders.map((value) => ({ value, name: t(`tags.by.${value}`) }))}
                onChoose={setOrder}
              />
            </div>
            <div className="grid grid-cols-2 items-start gap-8 max-[800px]:grid-cols-1">
              <section aria-labelledby="tags-heading" className="min-w-0">
                <Heading id="tags-heading" title={t('tags.tags')} count={tags.length} />
                {rows.length === 0 ? (
                  <p className="py-1 text-muted">{t(tags.length === 0 ? 'tags.noTags' : 'tags.noneFit')}</p>
                ) : (
                  <TagTree
                    rows={rows}
                    onRename={setRenamed}
                    onToggle={(key) =>
                      setOpen(open.has(key) ? open.difference(new Set([key])) : new Set([...open, key]))
                    }
                  />
                )}
              </section>
              <section aria-labelledby="properties-heading" className="min-w-0">
                <Heading id="properties-heading" title={t('tags.properties')} count={properties.length} />
                {fitting.length === 0 ? (
                  <p className="py-1 text-muted">{t(properties.length === 0 ? 'tags.noProperties' : 'tags.noneFit')}</p>
                ) : (
                  <PropertyList properties={fitting} />
                )}
              </section>
            </div>
          </div>
        )}
      </div>
      {renamed !== undefined && (
        <RenameTag key={renamed} agent={agent.id} from={renamed} onClose={() => setRenamed(undefined)} />
      )}
    </section>
  )
}

function Heading({ id, title, count }: { id: string; title: string; count: number }) {
  return (
    <h2 id={id} className="flex items-baseline gap-2 pb-1 font-semibold">
      {title} <span className="tabular text-[12px] font-normal text-muted">{count}</span>
    </h2>
  )
}
