import { decodeAs } from '#platform'
import { parseLinks, type NoteLink } from '#shared/markdown/links/parse-links.ts'
import { parseProperties, rewriteLimits, tagKey } from '#shared/markdown/properties/parse-properties.ts'
import { renameTag, type TagRename } from '#shared/markdown/properties/property-test.ts'

/** Likely encodings: UTF-8 with invalid bytes, UTF-16, and GB18030 (Chinese versions of Windows). */
const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'gb18030']

/** Returns the 1-based lines of a tag in the first encoding in which the tag occurs; empty if there is none. */
export function findTagLines(bytes: Uint8Array, rename: TagRename): readonly number[] {
  for (const encoding of encodings) {
    const text = decodeAs(encoding, bytes, false) ?? ''
    if (!tagKey(text).includes(tagKey(rename.from))) continue
    const tags = parseProperties(text, rewriteLimits).tags.map(({ name, line }) => ({ name, line, place: null }))
    const { left: lines } = renameTag({ tags }, rename)
    if (lines.length > 0) return lines
  }
  return []
}

/** Finds links in any of the encodings, and in Windows-1252. Each link is returned once. */
export function findLinks(bytes: Uint8Array): NoteLink[] {
  const linksByKey = new Map<string, NoteLink>()
  for (const encoding of [...encodings, 'windows-1252']) {
    const text = (decodeAs(encoding, bytes, false) ?? '').replaceAll('\0', '')
    for (const link of parseLinks(text).links) {
      const key = `${link.line} ${link.target}`
      if (!linksByKey.has(key)) linksByKey.set(key, link)
    }
  }
  return [...linksByKey.values()]
}
