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
