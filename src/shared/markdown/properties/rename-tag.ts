import type { Edit } from '../links/rewrite-links.ts'
import { tagKey } from './parse-properties.ts'
import type { NoteProperties } from './property.ts'

export interface TagRename {
  /** Without `#`. */
  readonly from: string
  readonly to: string
}

export interface RenamedTags {
  /** In the order of the text. */
  readonly edits: readonly Edit[]
  /** Lines, 1-based, where the tag stands in a way that cannot be written anew. */
  readonly left: readonly number[]
}

export function renameTag({ tags }: Pick<NoteProperties, 'tags'>, { from, to }: TagRename): RenamedTags {
  const key = tagKey(from)
  const depth = from.split('/').length
  const edits: Edit[] = []
  const left: number[] = []
  for (const { name, place, line } of tags) {
    if (tagKey(name) !== key && !tagKey(name).startsWith(`${key}/`)) continue
    if (!place) {
      left.push(line)
      continue
    }
    const below = name.split('/').slice(depth)
    const text = [to, ...below].join('/')
    if (text !== name) edits.push({ from: place.from, to: place.to, text })
  }
  return { edits: inOrder(edits), left }
}

/** What an alias names is written once, wherever it stands. */
function inOrder(edits: readonly Edit[]): Edit[] {
  const sorted = edits.toSorted((one, other) => one.from - other.from)
  return sorted.filter(({ from }, at) => from !== sorted[at - 1]?.from)
}
