import { useQuery } from '@tanstack/react-query'
import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { t } from 'i18next'
import { Link } from 'wouter'
import { tagKey } from '#shared/markdown/properties/parse-properties.ts'
import { propertyQuery, tagQuery } from '#shared/markdown/properties/queries.ts'
import { api, client } from '#lib/api/client.ts'
import { explainError } from '#lib/feedback/explain.ts'
import { paths } from '#lib/router/paths.ts'
import { clipLine } from '#lib/util/clip.ts'
import { IconButton } from '#lib/ui/button.tsx'
import type { TagPlan } from '#shared/contract/index.ts'
import { showChange } from '#lib/feedback/change-toast.ts'
import { runWithErrorToast } from '#lib/feedback/toast.ts'
import { PlanDialog } from '../links/plan-dialog.tsx'
import { PromptDialog } from '#lib/ui/prompt-dialog.tsx'

const maxItems = 60

export function NoteProperties({ agent, path }: { agent: string; path: string }) {
  const [renamedTag, setRenamedTag] = useState<string>()
  const metadata = useQuery(api.tags.of.queryOptions({ input: { agent, path } }))
  if (metadata.error) return <p className="p-2 text-muted">{explainError(metadata.error)}</p>
  if (!metadata.data) return null
  // The first spelling of each tag. Reversed, since a map keeps the last value of a key.
  const tagsByKey = new Map(metadata.data.tags.toReversed().map((tag) => [tagKey(tag.name), tag]))
  const tags = [...tagsByKey.values()].toReversed()
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
      {renamedTag !== undefined && (
        <RenameTagDialog agent={agent} from={renamedTag} onClose={() => setRenamedTag(undefined)} />
      )}
    </section>
  )
}

interface TagChipProps {
  /** Without `#`. */
  readonly name: string
  readonly onRename: () => void
}

function TagChip({ name, onRename }: TagChipProps) {
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

interface RenameTagDialogProps {
  readonly agent: string
  /** Without `#`. */
  readonly from: string
  readonly onClose: () => void
}

function RenameTagDialog({ agent, from, onClose }: RenameTagDialogProps) {
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
      title={t('tags.willRename', {
        from,
        to,
        count: plan.tags,
        notes: t('links.inNotes', { count: plan.notes }),
      })}
      hint={plan.joins ? t('tags.joins', { to }) : undefined}
      skippedTitle={t('tags.leftBehind', { count: plan.left.length })}
      choices={[{ label: t('tags.doRename'), onChoose: rename }]}
      onClose={onClose}
    />
  )
}
