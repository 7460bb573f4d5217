import type { Block, Heading } from './parse-links.ts'

/**
 * Finds the line of a heading or block.
 * @param fragment decoded, without `#`
 * @returns 1-based; undefined if the note has no such target
 */
export function lineOfFragment(
  fragment: string,
  { headings, blocks }: { readonly headings: readonly Heading[]; readonly blocks: readonly Block[] },
): number | undefined {
  const block = /^\^(.+)$/.exec(fragment)?.[1]
  if (block !== undefined) return blocks.find(({ id }) => id.toLowerCase() === block.toLowerCase())?.line
  // Line anchors of GitHub and similar sites.
  const line = /^L(\d+)$/.exec(fragment)?.[1]
  const steps = fragment.split('#').filter((step) => step.trim() !== '')
  // The heading itself may contain `#`.
  return (
    nestedHeadingLine(steps, headings) ??
    nestedHeadingLine([fragment], headings) ??
    lineOfSlug(fragment, headings) ??
    (line === undefined ? undefined : Number(line))
  )
}

/** Resolves `A#B`: heading B nested below A. */
function nestedHeadingLine(steps: readonly string[], headings: readonly Heading[]): number | undefined {
  let from = 0
  let level = 0
  let line: number | undefined
  for (const step of steps) {
    const at = headings.findIndex((heading, index) => index >= from && plain(heading.title) === plain(step))
    const found = headings[at]
    if (!found || headings.slice(from, at + 1).some((heading) => heading.level <= level)) return undefined
    from = at + 1
    level = found.level
    line = found.line
  }
  return line
}

/** Follows GitHub: the second heading with the same slug is `name-1`. */
function lineOfSlug(fragment: string, headings: readonly Heading[]): number | undefined {
  const wanted = fragment.toLowerCase()
  const seen = new Map<string, number>()
  for (const { title, line } of headings) {
    const slug = slugOf(title)
    const times = seen.get(slug) ?? 0
    seen.set(slug, times + 1)
    if (wanted === (times === 0 ? slug : `${slug}-${times}`)) return line
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
function plain(title: string): string {
  return title
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[!"#$%&()*+,.:;<=>?@^`{|}~/[\]\\\s]+/g, ' ')
    .trim()
}
