import { formatTarget, type LinkTarget } from '#shared/markdown/links/link-target.ts'

/**
 * Returns the label of a wiki link without one, as the vault's own program shows it.
 * @param title title of the target note, if it has one
 */
export function linkLabel(kind: string | undefined, link: LinkTarget, title: string | undefined): string {
  const label = formatTarget(link)
  if (kind === 'obsidian')
    return (
      label
        .split('#')
        .filter((part) => part !== '')
        .join(' > ') || label
    )
  return kind === 'foam' && title !== undefined && link.target !== '' ? formatTarget({ ...link, target: title }) : label
}
