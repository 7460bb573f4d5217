/** Under what name a program is known. Pure. */

const maxCharacters = 64

/** Programs that name themselves in another way than people call them. */
const titles: Readonly<Record<string, string>> = {
  'claude-code': 'Claude Code',
  'claude-ai': 'Claude Desktop',
  'codex-mcp-client': 'Codex',
  'cursor-vscode': 'Cursor',
  'visual-studio-code': 'VS Code',
  goose: 'Goose',
}

/** As an id: `Visual Studio Code` → `visual-studio-code`; `program` where nothing is left. */
export function clientId(said: string): string {
  const id = said
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replaceAll(/^[^a-z0-9]+|-+$/g, '')
    .slice(0, maxCharacters)
  return id === '' ? 'program' : id
}

/** As it is shown, on one line. */
export function clientName(said: string): string {
  const known = titles[clientId(said)]
  const plain = said.replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()
  return known ?? ([...plain].slice(0, maxCharacters).join('') || 'Another program')
}
