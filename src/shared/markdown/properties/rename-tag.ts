import type { Edit } from '../links/rewrite-links.ts'
import { tagKey } from './parse-properties.ts'
import type { NoteProperties } from './property.ts'

export interface TagRename {
  /** Without `#`. */
  readonly from: string
  readonly to: string
}

export interface RenamedTags {
  /** In text order. */
  readonly edits: readonly Edit[]
  /** 1-based lines with occurrences that cannot be rewritten. */
  readonly left: readonly number[]
}

/** Returns the edits that rename a tag and its nested tags in one note. */
export function renameTag({ tags }: Pick<NoteProperties, 'tags'>, { from, to }: TagRename): RenamedTags {
  const key = tagKey(from)
  const depth = from.split('/').length
  const edits: Edit[] = []
  const unchangedLines: number[] = []
  for (const { name, place, line } of tags) {
    if (tagKey(name) !== key && !tagKey(name).startsWith(`${key}/`)) continue
    if (!place) {
      unchangedLines.push(line)
      continue
    }
    const nested = name.split('/').slice(depth)
    const text = [to, ...nested].join('/')
    if (text !== name) edits.push({ from: place.from, to: place.to, text })
  }
  return { edits: sortedUnique(edits), left: unchangedLines }
}

/** Removes duplicate edits: an anchored value can be reached through several YAML aliases. */
function sortedUnique(edits: readonly Edit[]): Edit[] {
  const sorted = edits.toSorted((one, other) => one.from - other.from)
  return sorted.filter(({ from }, index) => from !== sorted[index - 1]?.from)
}
