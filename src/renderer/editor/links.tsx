import { useQuery, useMutation } from '@tanstack/react-query'
import { useState, type ComponentProps, type PropsWithChildren } from 'react'
import { t } from 'i18next'
import { Link } from 'wouter'
import type { OutgoingLink, TagPlan, BrokenLink, MovePlan } from '#shared/contract/index.ts'
import { api, client } from '#lib/api/client.ts'
import { useAgent } from '#lib/agents/current-agent.ts'
import { explainError, runWithErrorToast } from '#lib/feedback/toast.ts'
import { paths } from '#lib/router/paths.ts'
import { clipLine } from '#lib/util/clip.ts'
import { SidePanel, PromptDialog, Dialog, ViewHeader } from '#lib/ui/frames.tsx'
import { Skeleton, QueryView, EmptyState, IconButton, TextLink, Button, MoreButton } from '#lib/ui/elements.tsx'
import { Pencil } from 'lucide-react'
import { tagKey } from '#shared/markdown/properties/parse-properties.ts'
import { propertyQuery, tagQuery } from '#shared/markdown/properties/queries.ts'
import { showChange } from '#lib/feedback/change-toast.ts'
import { Patch } from '#lib/diff-view/patch.tsx'

export function LinksPanel({ path, onClose }: { path: string; onClose: () => void }) {
  const { id: agent } = useAgent()
  const links = useQuery(api.links.of.queryOptions({ input: { agent: agent, path } }))
  const rowOf = (link: OutgoingLink, index: number) => <OutgoingRow key={index} path={path} link={link} />
  const outgoing = links.data?.outgoing ?? []
  const broken = outgoing.filter((link) => link.path === null)
  return (
    <SidePanel title={t('file.links')} closing={t('links.close')} onClose={onClose}>
      <div className="flex flex-col gap-3 p-2">
        <NoteProperties path={path} />
        {links.error && <p className="p-2 text-muted">{explainError(links.error)}</p>}
        {links.isPending && <Skeleton lines={6} />}
        {links.data && (
          <>
            <Section title={t('links.backlinks')} count={links.data.counts.backlinks} empty={t('links.noBacklinks')}>
              {links.data.backlinks.map((link, index) => (
                <LineLink key={index} {...link} />
              ))}
            </Section>
            <SimilarNotes path={path} />
            {broken.length > 0 && (
              <Section title={t('links.broken')} count={broken.length} empty="">
                {broken.map(rowOf)}
              </Section>
            )}
            <Section
              title={t('links.outgoing')}
              count={links.data.counts.outgoing - broken.length}
              empty={t('links.noOutgoing')}
            >
              {outgoing.filter((link) => link.path !== null).map(rowOf)}
            </Section>
          </>
        )}
      </div>
    </SidePanel>
  )
}

type SectionProps = PropsWithChildren<{ title: string; count: number; empty: string }>

function Section({ title, count, empty, children }: SectionProps) {
  return (
    <section aria-label={title}>
      <h3 className="flex items-baseline gap-2 px-2 text-[12px] font-semibold">
        {title} <span className="tabular font-normal text-muted">{count}</span>
      </h3>
      {count === 0 ? <p className="px-2 py-1 text-[12px] text-muted">{empty}</p> : children}
    </section>
  )
}

const rowClassName = 'block rounded-sm px-2 py-1 hover:bg-soft'

const maxTextLength = 200

function LineLink({ path, line, text }: { path: string; line: number; text: string }) {
  return (
    <Link href={paths.file(path, line)} className={rowClassName}>
      <span className="block truncate font-mono text-[11px] text-muted">
        {clipLine(path)}:{line}
      </span>
      <span className="line-clamp-2 text-[12px] break-words">{clipLine(text, maxTextLength)}</span>
    </Link>
  )
}

function OutgoingRow({ path, link }: { path: string; link: OutgoingLink }) {
  const { at: sourceLine, target, path: to, line, makes: newNotePath } = link
  return (
    <div className="flex items-baseline gap-2 rounded-sm px-2 py-1 hover:bg-soft">
      <Link
        href={to === null ? paths.file(path, sourceLine) : paths.file(to, line ?? undefined)}
        className={`min-w-0 flex-1 truncate text-[12px] ${to === null ? 'unresolved' : ''}`}
        title={to ?? undefined}
      >
        {clipLine(target, 200)}
      </Link>
      {newNotePath !== null && (
        <TextLink href={paths.file(newNotePath)} className="shrink-0 text-[12px]">
          {t('file.create')}
        </TextLink>
      )}
    </div>
  )
}

function SimilarNotes({ path }: { path: string }) {
  const { id: agent } = useAgent()
  const { data } = useQuery(api.search.nearNotes.queryOptions({ input: { agent, path } }))
  if (!data || data.length === 0) return null
  return (
    <Section title={t('links.near')} count={data.length} empty="">
      {data.map((note) => (
        <LineLink key={note.path} {...note} />
      ))}
    </Section>
  )
}

const maxItems = 60

function NoteProperties({ path }: { path: string }) {
  const { id: agent } = useAgent()
  const [renamedTag, setRenamedTag] = useState<string>()
  const metadata = useQuery(api.tags.of.queryOptions({ input: { agent, path } }))
  if (metadata.error) return <p className="p-2 text-muted">{explainError(metadata.error)}</p>
  if (!metadata.data) return null
  // The first spelling of each tag.
  const spellings = Map.groupBy(metadata.data.tags, ({ name }) => tagKey(name))
  const tags = [...spellings.values()].flatMap(([first]) => first ?? [])
  // The tags are listed separately.
  const properties = metadata.data.properties.filter(({ name }) => !/^tags?$/i.test(name))
  return (
    <section aria-label={t('tags.ofNote')}>
      <h3 className="px-2 text-[12px] font-semibold">{t('tags.ofNote')}</h3>
      {tags.length + properties.length === 0 && (
        <p className="px-2 py-1 text-[12px] text-muted">{t('tags.noneOfNote')}</p>
      )}
      {tags.length > 0 && (
        <p className="flex flex-wrap gap-1.5 px-2 py-1">
          {tags.slice(0, maxItems).map(({ name }) => (
            <TagChip key={name} name={name} onRename={() => setRenamedTag(name)} />
          ))}
        </p>
      )}
      {properties.length > 0 && (
        <dl className="grid grid-cols-[minmax(64px,auto)_1fr] gap-x-3 px-2 py-1 text-[12px]">
          {properties.slice(0, maxItems).map(({ name, values, line }) => (
            <div key={`${line} ${name}`} className="contents">
              <dt className="min-w-0 truncate py-1">
                <Link href={paths.file(path, line)} className="text-muted hover:text-text hover:underline">
                  {clipLine(name, 40)}
                </Link>
              </dt>
              <dd className="flex min-w-0 flex-wrap gap-1.5 py-0.5">
                {values.length === 0
                  ? '–'
                  : values
                      .slice(0, maxItems)
                      .map((value, index) => <PropertyValue key={`${index} ${value}`} name={name} value={value} />)}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {renamedTag !== undefined && <RenameTagDialog from={renamedTag} onClose={() => setRenamedTag(undefined)} />}
    </section>
  )
}

/** @param name without `#` */
function TagChip({ name, onRename }: { name: string; onRename: () => void }) {
  return (
    <span className="group inline-flex min-h-6 max-w-full items-center rounded-full bg-accent-wash pl-2 text-[12px] text-accent">
      <Link
        href={paths.search(tagQuery(name))}
        onKeyDown={(event) => event.key === 'F2' && onRename()}
        className="min-w-0 truncate hover:underline"
      >
        #{clipLine(name, 80)}
      </Link>
      <IconButton
        icon={Pencil}
        size={11}
        label={t('tags.rename', { name })}
        className="size-6! opacity-60 group-focus-within:opacity-100 group-hover:opacity-100"
        onClick={onRename}
      />
    </span>
  )
}

function PropertyValue({ name, value }: { name: string; value: string }) {
  const query = propertyQuery(name, value)
  return (
    <Link
      href={paths.search(query)}
      title={query}
      className="inline-flex min-h-6 max-w-full items-center rounded-full border border-line bg-raised px-2 text-[12px] hover:bg-soft"
    >
      <span className="min-w-0 truncate">{clipLine(value, 80)}</span>
    </Link>
  )
}

/** @param from without `#` */
function RenameTagDialog({ from, onClose }: { from: string; onClose: () => void }) {
  const { id: agent } = useAgent()
  const [planned, setPlanned] = useState<{ to: string; plan: TagPlan }>()
  const planRename = async (typed: string) => {
    const to = typed.replace(/^#/, '')
    if (to === from) return undefined
    setPlanned({ to, plan: await client.tags.planRename({ agent, from, to }) })
    return 'next' as const
  }
  if (!planned)
    return (
      <PromptDialog
        title={t('tags.rename', { name: from })}
        label={t('tags.newName')}
        initial={from}
        action={t('tags.look')}
        onClose={onClose}
        onSubmit={planRename}
      />
    )
  const { to, plan } = planned
  const rename = async () => {
    const result = await runWithErrorToast(client.tags.rename({ agent, from, to, plan: plan.id }))
    onClose()
    if (!result) return
    const { tags, change } = result.value
    showChange(t('tags.renamed', { from, to, count: tags }), agent, change, { look: 'plain' })
  }
  return (
    <PlanDialog
      plan={plan}
      title={t('tags.willRename', { from, to, count: plan.tags, notes: t('links.inNotes', { count: plan.notes }) })}
      hint={plan.joins ? t('tags.joins', { to }) : undefined}
      skippedTitle={t('tags.leftBehind', { count: plan.left.length })}
      action={t('agents.rename')}
      onSubmit={rename}
      onClose={onClose}
    />
  )
}

const pageSize = 100

export function BrokenView() {
  const { id: agent } = useAgent()
  const [limit, setLimit] = useState(pageSize)
  const broken = useQuery(api.links.broken.queryOptions({ input: { agent: agent } }))
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
                      <BrokenRow key={index} link={link} />
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

function BrokenRow({ link }: { link: BrokenLink }) {
  const { id: agent } = useAgent()
  const { path, line, text, target, lacks, makes: newNotePath, near: suggestedTargets } = link
  const onSuccess = ({ change }: { change: number | null }) => showChange(t('links.mended', { path }), agent, change)
  const repair = useMutation(api.links.mend.mutationOptions({ onSuccess }))
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

const initiallyOpenFiles = 3

interface PlanDialogProps extends Pick<ComponentProps<typeof Dialog>, 'title' | 'aside' | 'onClose'> {
  readonly plan: Pick<MovePlan, 'notes' | 'files' | 'left'>
  readonly hint?: string | undefined
  readonly skippedTitle: string
  readonly action: string
  readonly onSubmit: () => Promise<void>
}

export function PlanDialog({ plan, hint, skippedTitle, onSubmit, ...dialog }: PlanDialogProps) {
  const submit = useMutation({ mutationFn: onSubmit })
  const unlistedNotes = plan.notes - plan.files.length
  return (
    <Dialog
      {...dialog}
      focusesAction
      canSubmit={!submit.isPending}
      className="top-[10vh] w-[min(680px,94vw)]"
      onSubmit={() => submit.mutate()}
    >
      {hint !== undefined && (
        <p role="note" className="text-[12px] text-muted">
          {hint}
        </p>
      )}
      {plan.left.length > 0 && (
        <p role="note" className="text-[12px] text-muted">
          {skippedTitle}{' '}
          {plan.left
            .map(({ path, line, target, isProtected, isUnread }) => {
              const place = target === '' ? path : `${path}:${line}`
              return isUnread ? t('links.unread', { place }) : isProtected ? t('links.protected', { place }) : place
            })
            .join(', ')}
        </p>
      )}
      <ul className="flex max-h-[55vh] flex-col gap-2 overflow-y-auto" tabIndex={0} aria-label={t('links.changes')}>
        {plan.files.map(({ path, count, patch }, index) => (
          <li key={path} className="rounded-md border border-line">
            <details open={index < initiallyOpenFiles}>
              <summary className="flex cursor-default items-center gap-2 px-2.5 py-1.5 font-mono text-[12px]">
                <span className="min-w-0 flex-1 break-all">{path}</span>
                <span className="tabular text-muted">{count}</span>
              </summary>
              <Patch patch={patch} isSmall />
            </details>
          </li>
        ))}
        {unlistedNotes > 0 && <li className="text-muted">{t('links.moreNotes', { count: unlistedNotes })}</li>}
      </ul>
    </Dialog>
  )
}
