import { useContext, useMemo, useState } from 'react'
import { t } from 'i18next'
import { Link } from 'wouter'
import { tagQuery } from '#shared/markdown/properties/queries.ts'
import { paths } from '#lib/router/paths.ts'
import { clipLine, clipPassage } from '#lib/util/clip.ts'
import { shownProperties, writeProperty, type ShownProperty } from '../parse/line-edits.ts'
import { nameHref, splitWikiLinks } from '../parse/mdast.ts'
import { Anchor } from './elements.tsx'
import { RowLineContext, useDocumentContext } from './context.ts'

const maxShown = 60

export function Properties({ frontMatter }: { frontMatter: string }) {
  const properties = useMemo(() => shownProperties(frontMatter), [frontMatter])
  if (properties?.length === 0) return null
  return (
    <section aria-label={t('reading.properties')} className="properties">
      {properties ? (
        <dl>
          {properties.slice(0, maxShown).map((property, index) => (
            <div key={`${index} ${property.key}`} className="property">
              <dt title={property.key}>{clipLine(property.key, 60)}</dt>
              <dd>
                <PropertyValue property={property} />
              </dd>
            </div>
          ))}
        </dl>
      ) : (
        <pre tabIndex={0}>{clipPassage(frontMatter, 4000)}</pre>
      )}
    </section>
  )
}

function PropertyValue({ property: { key, value, line } }: { property: ShownProperty }) {
  const { onEdit } = useDocumentContext()
  const lineOf = useContext(RowLineContext)
  const write = (previous: string | boolean, next: string | boolean) => {
    const noteLine = lineOf(line + 1)
    if (noteLine !== undefined && previous !== next) onEdit?.(noteLine, writeProperty(key, previous, next))
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
                <LinkedText text={item} />
              )}
            </span>
          ))}
        </span>
      )
    case 'other':
      return <code className="whitespace-pre-wrap">{clipPassage(value.text, 1000)}</code>
    case 'text':
      return onEdit && value.isOwn ? (
        <TextField key={value.text} label={t('reading.property', { name: key })} text={value.text} onDone={write} />
      ) : (
        <LinkedText text={value.text} />
      )
  }
}

interface TextFieldProps {
  readonly label: string
  readonly text: string
  readonly onDone: (previous: string, next: string) => void
}

function TextField({ label, text, onDone }: TextFieldProps) {
  const [isEditing, setIsEditing] = useState(false)
  const [typed, setTyped] = useState(text)
  if (!isEditing)
    return (
      <span className="property-text">
        <LinkedText text={text} />
        <button type="button" aria-label={label} className="property-open" onClick={() => setIsEditing(true)} />
      </span>
    )
  const finish = (value: string) => {
    setIsEditing(false)
    onDone(text, value)
  }
  return (
    <input
      type="text"
      // Gets the focus, since the user has opened the field with a click.
      ref={(element) => element?.focus()}
      aria-label={label}
      value={typed}
      className="property-field"
      onChange={(event) => setTyped(event.target.value)}
      onBlur={() => finish(typed)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') finish(typed)
        if (event.key === 'Escape') {
          setTyped(text)
          setIsEditing(false)
        }
      }}
    />
  )
}

function LinkedText({ text }: { text: string }) {
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
