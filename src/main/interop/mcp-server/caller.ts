import { createHash } from 'node:crypto'

const maxCharacters = 64
/** Of the mark that tells names apart which an id cannot spell. */
const markCharacters = 8

/** Programs that name themselves in another way than people call them. */
const titles: Readonly<Record<string, string>> = {
  'claude-code': 'Claude Code',
  'claude-ai': 'Claude Desktop',
  'codex-mcp-client': 'Codex',
  'cursor-vscode': 'Cursor',
  'visual-studio-code': 'VS Code',
  goose: 'Goose',
}

/**
 * As an id: `Visual Studio Code` → `visual-studio-code`. A name in another script, or one that is too long, gets a mark
 * of its own (`program-1a2b3c4d`): what the user allows one program is not for all that cannot be spelled.
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

/** As it is shown, on one line. */
export function clientName(said: string): string {
  const known = titles[clientId(said)]
  const plain = said.replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return known ?? ([...plain].slice(0, maxCharacters).join('') || 'Another program')
}
