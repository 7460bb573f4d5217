import { createHash } from 'node:crypto'

const maxCharacters = 64
const markCharacters = 8

const titles: Readonly<Record<string, string>> = {
  'claude-code': 'Claude Code',
  'claude-ai': 'Claude Desktop',
  'codex-mcp-client': 'Codex',
  'cursor-vscode': 'Cursor',
  'visual-studio-code': 'VS Code',
  goose: 'Goose',
}

/**
 * Returns an id for a name: `Visual Studio Code` → `visual-studio-code`; `program` for an empty name. A long name or
 * one in another script gets a hash (`program-1a2b3c4d`), so that such programs do not share permissions.
 */
export function clientId(said: string): string {
  const name = said
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ')
    .trim()
  const spelled = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[^a-z0-9]+|-+$/g, '')
  const isWhole = spelled !== '' && spelled.length <= maxCharacters && !/[^\p{ASCII}\s]/u.test(name)
  if (isWhole || name === '') return spelled || 'program'
  const mark = createHash('sha256').update(name).digest('hex').slice(0, markCharacters)
  return `${spelled.slice(0, maxCharacters - markCharacters - 1) || 'program'}-${mark}`
}

/** Returns the name on one line for display, at most 64 characters; `Another program` for an empty name. */
export function clientName(said: string): string {
  const known = titles[clientId(said)]
  const plain = said.replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return known ?? ([...plain].slice(0, maxCharacters).join('') || 'Another program')
}
