import type { LinkHeading, ParsedLinks } from './parse-links.ts'

/** @param fragment decoded, without `#` @returns 1-based; undefined if the note has no such target */
export function lineOfFragment(fragment: string, { headings, blocks }: Pick<ParsedLinks, 'headings' | 'blocks'>) {
  const block = /^\^(.+)$/.exec(fragment)?.[1]
  if (block !== undefined) return blocks.find(({ id }) => id.toLowerCase() === block.toLowerCase())?.line
  // Line anchors of GitHub and similar sites.
  const line = /^L(\d+)$/.exec(fragment)?.[1]
  const titles = fragment.split('#').filter((title) => title.trim() !== '')
  // A heading may contain `#`.
  return (
    nestedHeadingLine(titles, headings) ??
    nestedHeadingLine([fragment], headings) ??
    lineOfSlug(fragment, headings) ??
    (line === undefined ? undefined : Number(line))
  )
}

/** Returns the line of the last heading of `A#B`, where heading B is below A; undefined if there is none. */
function nestedHeadingLine(titles: readonly string[], headings: readonly LinkHeading[]): number | undefined {
  let from = 0
  let level = 0
  let line: number | undefined
  for (const title of titles) {
    const key = normalizeTitle(title)
    const headingIndex = headings.findIndex((other, index) => index >= from && normalizeTitle(other.title) === key)
    const heading = headings[headingIndex]
    if (!heading || headings.slice(from, headingIndex + 1).some((other) => other.level <= level)) return undefined
    from = headingIndex + 1
    level = heading.level
    line = heading.line
  }
  return line
}

/** Follows GitHub: the second heading with the same slug is `name-1`. */
function lineOfSlug(fragment: string, headings: readonly LinkHeading[]): number | undefined {
  const wantedSlug = fragment.toLowerCase()
  const slugCounts = new Map<string, number>()
  for (const { title, line } of headings) {
    const slug = slugOf(title)
    const earlier = slugCounts.get(slug) ?? 0
    slugCounts.set(slug, earlier + 1)
    if (wantedSlug === (earlier === 0 ? slug : `${slug}-${earlier}`)) return line
  }
  return undefined
}

/** Returns GitHub's anchor of a heading, without the suffix for duplicates. */
export function slugOf(title: string): string {
  return title
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}

/** Normalizes a heading like Obsidian: ignores case and punctuation. */
function normalizeTitle(title: string): string {
  return title
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[!"#$%&()*+,.:;<=>?@^`{|}~/[\]\\\s]+/g, ' ')
    .trim()
}
