import { formatTarget, type LinkTarget } from '#shared/markdown/links/link-target.ts'

/**
 * Returns the label of a wiki link without one, as the vault's own program shows it.
 * @param title title of the target note, if it has one
 */
export function linkLabel(kind: string | undefined, link: LinkTarget, title: string | undefined): string {
  const whole = formatTarget(link)
  if (kind === 'obsidian')
    return (
      whole
        .split('#')
        .filter((part) => part !== '')
        .join(' > ') || whole
    )
  return kind === 'foam' && title !== undefined && link.target !== '' ? formatTarget({ ...link, target: title }) : whole
}
