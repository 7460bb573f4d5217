/** What a note says of itself, beside it: its tags and properties, each a way to the notes that say the same. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { tagKey } from '#shared/markdown/properties/parse-properties.ts'
import { tagQuery } from '#shared/markdown/properties/queries.ts'
import { api } from '#lib/api/client.ts'
import { explainError } from '#lib/feedback/explain.ts'
import { paths } from '#lib/router/paths.ts'
import { clipLine } from '#lib/util/clip.ts'
import { PropertyValue } from './property-list.tsx'

/** Drawn at most: the text itself has the others. */
const maxShown = 60

export function NoteProperties({ agent, path }: { agent: string; path: string }) {
  const { t } = useTranslation()
  const said = useQuery(api.tags.of.queryOptions({ input: { agent, path } }))
  if (said.error) return <p className="p-2 text-muted">{explainError(said.error)}</p>
  if (!said.data) return null
  const tags = [...new Map(said.data.tags.toReversed().map((tag) => [tagKey(tag.name), tag])).values()].toReversed()
  // They stand among the tags.
  const properties = said.data.properties.filter(({ name }) => !/^tags?$/i.test(name))
  return (
    <section aria-label={t('tags.ofNote')}>
      <h3 className="px-2 text-[12px] font-semibold">{t('tags.ofNote')}</h3>
      {tags.length + properties.length === 0 && (
        <p className="px-2 py-1 text-[12px] text-muted">{t('tags.noneOfNote')}</p>
      )}
      {tags.length > 0 && (
        <p className="flex flex-wrap gap-1.5 px-2 py-1">
          {tags.slice(0, maxShown).map(({ name }) => (
            <TagChip key={name} name={name} />
          ))}
        </p>
      )}
      {properties.length > 0 && (
        <dl className="grid grid-cols-[minmax(64px,auto)_1fr] gap-x-3 px-2 py-1 text-[12px]">
          {properties.slice(0, maxShown).map(({ name, values, line }) => (
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
                      .slice(0, maxShown)
                      .map((value, at) => <PropertyValue key={`${at} ${value}`} name={name} value={value} />)}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  )
}

/** @param name without `#` */
function TagChip({ name }: { name: string }) {
  return (
    <Link
      href={paths.search(tagQuery(name))}
      className="inline-flex min-h-6 max-w-full items-center rounded-full bg-accent-wash px-2 text-[12px] text-accent hover:underline"
    >
      <span className="min-w-0 truncate">#{clipLine(name, 80)}</span>
    </Link>
  )
}
