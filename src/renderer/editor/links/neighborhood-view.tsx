/** A note and what lies one or two links from it: drawn, or as a list for those who would rather read. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { Agent, LinkGraph } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { ErrorState } from '#lib/feedback/error-state.tsx'
import { paths } from '#lib/router/paths.ts'
import { Choice } from '#lib/ui/choice.tsx'
import { clipLine } from '#lib/util/clip.ts'
import { EmptyState, Skeleton } from '#lib/ui/states.tsx'
import { ViewHeader } from '#lib/ui/view-header.tsx'
import { LinkGraphPicture } from './link-graph.tsx'

const ways = ['graph', 'list'] as const

export function AroundView({ agent, path }: { agent: Agent; path: string }) {
  const { t } = useTranslation()
  const [steps, setSteps] = useState<'1' | '2'>('1')
  const [way, setWay] = useState<(typeof ways)[number]>('graph')
  const found = useQuery(
    api.links.around.queryOptions({ input: { agent: agent.id, path, steps: Number(steps) }, enabled: path !== '' }),
  )
  const graph = found.data
  return (
    <section aria-label={t('around.title')} className="flex min-w-0 flex-1 flex-col">
      <ViewHeader
        title={t('around.title')}
        aside={
          <Link href={paths.file(path)} className="font-mono text-[12px] hover:underline">
            {clipLine(path)}
          </Link>
        }
      >
        <Choice
          label={t('around.steps')}
          value={steps}
          options={[
            { value: '1', name: t('around.one') },
            { value: '2', name: t('around.two') },
          ]}
          onChoose={setSteps}
        />
        <Choice
          label={t('around.way')}
          value={way}
          options={ways.map((value) => ({ value, name: t(`around.${value}`) }))}
          onChoose={setWay}
        />
      </ViewHeader>
      {graph && graph.left > 0 && (
        <p role="note" className="border-b border-line px-5 py-1.5 text-[12px] text-muted">
          {t('around.left', { count: graph.left })}
        </p>
      )}
      <div className="flex min-h-0 flex-1 flex-col overflow-auto">
        {found.error ? (
          <ErrorState error={found.error} onRetry={() => void found.refetch()} />
        ) : !graph ? (
          <Skeleton lines={8} />
        ) : graph.nodes.length < 2 ? (
          <EmptyState title={t('around.alone')} hint={t('around.aloneHint')} />
        ) : way === 'graph' ? (
          <LinkGraphPicture graph={graph} />
        ) : (
          <AroundList graph={graph} />
        )}
      </div>
    </section>
  )
}

function AroundList({ graph: { nodes } }: { graph: LinkGraph }) {
  const { t } = useTranslation()
  const rings = Map.groupBy(
    nodes.filter(({ distance }) => distance > 0),
    ({ path, distance }) => (path === null ? 0 : distance),
  )
  return (
    <div className="mx-auto flex w-full max-w-[820px] flex-col gap-4 px-8 py-5 max-sm:px-3">
      {[1, 2, 0].map((ring) => {
        const found = rings.get(ring)
        if (!found) return null
        const title = t(ring === 0 ? 'links.broken' : ring === 1 ? 'around.one' : 'around.two')
        return (
          <section key={ring} aria-label={title}>
            <h2 className="pb-1 font-semibold">
              {title} <span className="tabular text-[12px] font-normal text-muted">{found.length}</span>
            </h2>
            <ul>
              {found.map(({ id, label, path, makes }) => (
                <li key={id} className="flex min-h-7 items-center gap-3 rounded-sm px-1 hover:bg-soft">
                  <Link
                    href={paths.file(path ?? makes ?? '')}
                    className={`min-w-0 flex-1 truncate ${path === null ? 'unresolved' : 'hover:underline'}`}
                  >
                    {clipLine(label, 100)}
                    {path !== null && <span className="pl-2 font-mono text-[11px] text-muted">{clipLine(path)}</span>}
                  </Link>
                  {path !== null && (
                    <Link
                      href={paths.around(path)}
                      aria-label={t('around.of', { name: label })}
                      className="shrink-0 text-[12px] text-accent hover:underline"
                    >
                      {t('around.title')}
                    </Link>
                  )}
                </li>
              ))}
            </ul>
          </section>
        )
      })}
    </div>
  )
}
