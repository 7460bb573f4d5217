import { formatTarget, type LinkTarget } from '#shared/markdown/links/parse-links.ts'

/** Returns the label of a wiki link without one, as the vault's own program shows it. @param title of the target note */
export function linkLabel(kind: string | undefined, link: LinkTarget, title: string | undefined): string {
  const label = formatTarget(link)
  if (kind === 'obsidian') return label.split('#').filter(Boolean).join(' > ') || label
  return kind === 'foam' && title !== undefined && link.target !== '' ? formatTarget({ ...link, target: title }) : label
}

const maxTitle = 400

/** Returns a heading's text without inline Markdown and block id, or the heading itself if nothing would be left. */
export function plainTitle(title: string): string {
  const plain = title
    .slice(0, maxTitle)
    .replace(/\s\^[\w-]+\s*$/, '')
    .replaceAll(/!?\[\[([^[\]|]*)(?:\|([^[\]]*))?\]\]/g, (_link, target: string, label?: string) => label ?? target)
    .replaceAll(/!?\[([^[\]]*)\]\((?:[^()\s]|\([^()\s]*\)|\s)*\)/g, '$1')
    .replaceAll(/(\*\*|__|~~|==)(?=\S)([^*_~=]*?\S)\1/g, '$2')
    .replaceAll(/`([^`]+)`/g, '$1')
    .replaceAll(/(?<![\p{L}\p{N}*])\*(?=\S)([^*]*\S)\*/gu, '$1')
    .trim()
  return plain === '' ? title : plain
}
