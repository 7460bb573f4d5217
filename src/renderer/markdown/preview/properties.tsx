import { useContext, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'wouter'
import { tagQuery } from '#shared/markdown/properties/queries.ts'
import { Anchor } from '../chat/markdown-elements.tsx'
import { paths } from '#lib/router/paths.ts'
import { clipLine, clipPassage } from '#lib/util/clip.ts'
import { isComposing } from '#lib/util/shortcuts.ts'
import { propertiesOf, writeProperty, type Property } from '../parse/split-front-matter.ts'
import { nameHref, splitWikiLinks } from '../chat/wiki-link.ts'
import { RowLineContext, useNote } from './note-context.ts'

const maxShown = 60

export function Properties({ matter }: { matter: string }) {
  const { t } = useTranslation()
  const properties = useMemo(() => propertiesOf(matter), [matter])
  if (properties?.length === 0) return null
  return (
    <section aria-label={t('reading.properties')} className="properties">
      {properties ? (
        <dl>
          {properties.slice(0, maxShown).map((property, index) => (
            <Entry key={`${index} ${property.key}`} property={property} />
          ))}
        </dl>
      ) : (
        <pre tabIndex={0}>{clipPassage(matter, 4000)}</pre>
      )}
    </section>
  )
}

function Entry({ property }: { property: Property }) {
  const { key } = property
  return (
    <div className="property">
      <dt title={key}>{clipLine(key, 60)}</dt>
      <dd>
        <Value property={property} />
      </dd>
    </div>
  )
}

function Value({ property: { key, value, line } }: { property: Property }) {
  const { t } = useTranslation()
  const { onEdit } = useNote()
  const lineOf = useContext(RowLineContext)
  const write = (was: string | boolean, now: string | boolean) => {
    const at = lineOf(line + 1)
    if (at !== undefined && was !== now) onEdit?.(at, writeProperty(key, was, now))
  }
  switch (value.kind) {
    case 'flag':
      return (
        <input
          type="checkbox"
          aria-label={key}
          checked={value.isSet}
          disabled={!onEdit}
          onChange={() => write(value.isSet, !value.isSet)}
        />
      )
    case 'list':
      return (
        <span className="flex flex-wrap gap-1">
          {value.items.slice(0, 100).map((item, index) => (
            <span key={index} className="property-item">
              {/^tags?$/i.test(key) ? (
                <Link href={paths.search(tagQuery(item.replace(/^#/, '')))}>{clipLine(item, 120)}</Link>
              ) : (
                <Linked text={item} />
              )}
            </span>
          ))}
        </span>
      )
    case 'other':
      return <code className="whitespace-pre-wrap">{clipPassage(value.text, 1000)}</code>
    case 'text':
      return onEdit && value.isOwn ? (
        <Field key={value.text} label={t('reading.property', { name: key })} text={value.text} onDone={write} />
      ) : (
        <Linked text={value.text} />
      )
  }
}

interface FieldProps {
  readonly label: string
  readonly text: string
  readonly onDone: (was: string, now: string) => void
}

function Field({ label, text, onDone }: FieldProps) {
  const [isOpen, setIsOpen] = useState(false)
  const [typed, setTyped] = useState(text)
  if (!isOpen)
    return (
      <span className="property-text">
        <Linked text={text} />
        <button type="button" aria-label={label} className="property-open" onClick={() => setIsOpen(true)} />
      </span>
    )
  const finish = (value: string) => {
    setIsOpen(false)
    onDone(text, value)
  }
  return (
    <input
      type="text"
      // The user has opened the field by a click.
      ref={(element) => element?.focus()}
      aria-label={label}
      value={typed}
      className="property-field"
      onChange={(event) => setTyped(event.target.value)}
      onBlur={() => finish(typed)}
      onKeyDown={(event) => {
        if (isComposing(event)) return
        if (event.key === 'Enter') finish(typed)
        if (event.key === 'Escape') {
          setTyped(text)
          setIsOpen(false)
        }
      }}
    />
  )
}

function Linked({ text }: { text: string }) {
  const shown = clipLine(text, 300)
  if (/^https?:\/\/\S+$/i.test(text))
    return (
      <a href={text} target="_blank" rel="noreferrer">
        {shown}
      </a>
    )
  return splitWikiLinks(shown).map((part, index) =>
    typeof part === 'string' ? (
      part
    ) : (
      <Anchor key={index} href={nameHref(part.target)}>
        {part.label}
      </Anchor>
    ),
  )
}
