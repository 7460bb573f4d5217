import type { Edit } from '../links/rewrite-links.ts'
import { tagKey } from './parse-properties.ts'
import { isUnderTag } from './property-test.ts'
import type { NoteProperties } from './property.ts'

export interface TagRename {
  /** Without `#`. */
  readonly from: string
  readonly to: string
}

/**
 * Returns the edits that rename a tag and its nested tags in one note, in text order.
 * @returns `left`: 1-based lines with occurrences that cannot be rewritten
 */
export function renameTag({ tags }: Pick<NoteProperties, 'tags'>, { from, to }: TagRename) {
  const key = tagKey(from)
  const depth = from.split('/').length
  const edits: Edit[] = []
  const unchangedLines: number[] = []
  for (const { name, place, line } of tags) {
    if (!isUnderTag(name, key)) continue
    const text = [to, ...name.split('/').slice(depth)].join('/')
    if (!place) unchangedLines.push(line)
    else if (text !== name) edits.push({ ...place, text })
  }
  const sorted = edits.sort((one, other) => one.from - other.from)
  // An anchored value can be reached through several YAML aliases.
  return { edits: sorted.filter(({ from }, index) => from !== sorted[index - 1]?.from), left: unchangedLines }
}
