import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { t } from 'i18next'
import { Link } from 'wouter'
import type { Agent, BrokenLink } from '#shared/contract/index.ts'
import { api } from '#lib/api/client.ts'
import { QueryView, EmptyState } from '#lib/ui/states.tsx'
import { showChange } from '#lib/feedback/change-toast.ts'
import { paths } from '#lib/router/paths.ts'
import { Button, TextLink, MoreButton } from '#lib/ui/button.tsx'
import { clipLine } from '#lib/util/clip.ts'
import { ViewHeader } from '#lib/ui/view-header.tsx'

const pageSize = 100

export function BrokenView({ agent }: { agent: Agent }) {
  const [limit, setLimit] = useState(pageSize)
  const broken = useQuery(api.links.broken.queryOptions({ input: { agent: agent.id } }))
  const links = broken.data?.links ?? []
  const byFile = Map.groupBy(links.slice(0, limit), ({ path }) => path)
  return (
    <section aria-label={t('links.broken')} className="flex min-w-0 flex-1 flex-col">
      <ViewHeader
        title={t('links.broken')}
        aside={broken.data ? t('links.brokenCount', { count: broken.data.count }) : ''}
      />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <QueryView query={broken}>
          {() =>
            links.length === 0 ? (
              <EmptyState title={t('links.noneBroken')} />
            ) : (
              <div className="mx-auto flex max-w-[820px] flex-col gap-4 px-8 py-6 max-sm:px-3">
                {[...byFile].map(([path, linksOfFile]) => (
                  <section key={path} aria-label={path}>
                    <h2 className="truncate font-mono text-[12px] text-muted">{clipLine(path)}</h2>
                    {linksOfFile.map((link, index) => (
                      <BrokenRow key={index} agent={agent.id} link={link} />
                    ))}
                  </section>
                ))}
                {links.length > limit && <MoreButton onClick={() => setLimit(limit + pageSize)} />}
              </div>
            )
          }
        </QueryView>
      </div>
    </section>
  )
}

function BrokenRow({ agent, link }: { agent: string; link: BrokenLink }) {
  const { path, line, text, target, lacks, makes: newNotePath, near: suggestedTargets } = link
  const repair = useMutation(
    api.links.mend.mutationOptions({
      onSuccess: ({ change }) => showChange(t('links.mended', { path }), agent, change),
    }),
  )
  return (
    <div className="flex flex-col gap-1 border-b border-soft py-2" data-testid="broken-link">
      <Link href={paths.file(path, line)} className="flex gap-3 hover:underline">
        <span className="tabular w-10 shrink-0 text-right text-muted">{line}</span>
        <span className="min-w-0 break-words">{clipLine(text, 300)}</span>
      </Link>
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1 pl-[52px] text-[12px]">
        <span className="text-muted">{t(`links.lacks.${lacks}`, { target: clipLine(target, 100) })}</span>
        {suggestedTargets.map((suggestion) => (
          <Button
            key={suggestion}
            look="link"
            className="text-[12px]"
            disabled={repair.isPending}
            onClick={() => repair.mutate({ agent, path, line, target, by: suggestion })}
          >
            {t('links.writeInstead', { target: clipLine(suggestion, 100) })}
          </Button>
        ))}
        {newNotePath !== null && (
          <TextLink href={paths.file(newNotePath)}>
            {t('links.makeNote', { path: clipLine(newNotePath, 100) })}
          </TextLink>
        )}
      </div>
    </div>
  )
}
