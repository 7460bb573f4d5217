/** The properties that notes have, each with its most frequent values; all of them lead to the search. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import type { PropertyCount } from '#shared/contract/index.ts'
import { propertyQuery } from '#shared/markdown/properties/queries.ts'
import { formatNumber } from '#lib/i18n/format.ts'
import { paths } from '#lib/router/paths.ts'
import { Button } from '#lib/ui/button.tsx'
import { clipLine } from '#lib/util/clip.ts'

/** Rows drawn at first, and with each further step. */
const page = 60
const fewValues = 6

export function PropertyList({ properties }: { properties: readonly PropertyCount[] }) {
  const { t } = useTranslation()
  const [shown, setShown] = useState(page)
  return (
    <>
      <ul>
        {properties.slice(0, shown).map((property) => (
          <Property key={property.name} property={property} />
        ))}
      </ul>
      {properties.length > shown && (
        <Button look="link" onClick={() => setShown(shown + page)}>
          {t('history.more')}
        </Button>
      )}
    </>
  )
}

function Property({ property: { name, notes, values, valueCount } }: { property: PropertyCount }) {
  const { t } = useTranslation()
  const [isOpen, setIsOpen] = useState(false)
  const some = isOpen ? values : values.slice(0, fewValues)
  const rest = valueCount - some.length
  return (
    <li className="border-b border-soft py-2">
      <p className="flex items-baseline gap-2">
        <Link href={paths.search(propertyQuery(name))} className="min-w-0 truncate font-medium hover:underline">
          {clipLine(name, 80)}
        </Link>
        <span className="tabular text-[12px] text-muted">{formatNumber(notes)}</span>
      </p>
      <p className="flex flex-wrap gap-1.5 pt-1">
        {some.map(({ value, notes: count }) => (
          <PropertyValue key={value} name={name} value={value} count={count} />
        ))}
        {rest > 0 &&
          (isOpen ? (
            <span className="text-[12px] text-muted">{t('tags.moreValues', { count: rest })}</span>
          ) : (
            <Button look="link" className="text-[12px]" onClick={() => setIsOpen(true)}>
              {t('tags.moreValues', { count: rest })}
            </Button>
          ))}
      </p>
    </li>
  )
}

interface PropertyValueProps {
  readonly name: string
  readonly value: string
  /** Notes that have it; left out where that is not known. */
  readonly count?: number
}

/** One value as a chip; a click searches for the notes that have it. */
export function PropertyValue({ name, value, count }: PropertyValueProps) {
  return (
    <Link
      href={paths.search(propertyQuery(name, value))}
      title={propertyQuery(name, value)}
      className="inline-flex min-h-6 max-w-full items-center gap-1.5 rounded-full border border-line bg-raised px-2 text-[12px] hover:bg-soft"
    >
      <span className="min-w-0 truncate">{clipLine(value, 80)}</span>
      {count !== undefined && <span className="tabular text-muted">{formatNumber(count)}</span>}
    </Link>
  )
}
