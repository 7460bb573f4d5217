import { withoutPrivateMarks } from '#shared/markdown/visibility.ts'
import { nameKey, namesOf, parseProperties, tagKey } from '#shared/markdown/properties/parse-properties.ts'

export type PreparedMetadata = ReturnType<typeof metadataOf>

export const noMetadata: PreparedMetadata = { tags: [], properties: [], names: [] }

/**
 * Returns tags, properties and names of a note. Keys are normalized by `parse-properties.ts`; lines are 1-based. A
 * property without a value has an empty string. Names are title and aliases; the title has place 0.
 * @param openText `text` without its private lines; undefined if the whole note is private
 */
export function metadataOf(text: string, openText: string | undefined) {
  const parsed = parseProperties(text)
  const title = parsed.properties.find(({ name, isTop }) => isTop && nameKey(name) === 'title')?.values[0]?.trim()
  const open = openText === text ? parsed : openText === undefined ? undefined : parseProperties(openText)
  const openNames = new Set(open && namesOf(open))
  return {
    tags: parsed.tags.map(({ name, line }) => ({ tag: tagKey(name), line })),
    properties: parsed.properties.flatMap(({ name, values, line }) =>
      (values.length > 0 ? values : ['']).map((value) => ({
        name: nameKey(name),
        value: withoutPrivateMarks(value),
        line,
      })),
    ),
    names: namesOf(parsed).map((name, at) => ({
      name: withoutPrivateMarks(name),
      place: name === title ? 0 : at + 1,
      isPrivate: !openNames.has(name),
    })),
  }
}
