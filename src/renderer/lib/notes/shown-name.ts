import { wholeTarget, type LinkTarget } from '#shared/markdown/links/link-target.ts'

/** @param title of the note that it leads to; undefined for one that has none, or is not there */
export function shownName(kind: string | undefined, link: LinkTarget, title: string | undefined): string {
  const whole = wholeTarget(link)
  if (kind === 'obsidian')
    return (
      whole
        .split('#')
        .filter((part) => part !== '')
        .join(' > ') || whole
    )
  return kind === 'foam' && title !== undefined && link.target !== '' ? wholeTarget({ ...link, target: title }) : whole
}
