/** Names, and words of formats, keys and commands, which a Chinese interface also writes in Latin letters. */
const names = new Set(
  `Commonplace Markdown Git GitHub Obsidian Logseq Electron Chromium Node Model Context Protocol Token Claude Anthropic
  OpenAI OpenRouter Ollama Studio Gemini Google Mistral Voyage Enter Esc Tab Ctrl Shift Alt Space Delete Backspace
  commonplace status index search explain eval remember ask sessions history show export import mcp serve help text
  offline provider system stderr cron builtin none openai gemini compatible local claude code desktop codex cursor vscode
  goose windsurf zip Notion Bear Apple Evernote Joplin flomo DeepSeek Takeout ChatGPT main read write edit list
  last get recent undo completion install change path line shell grep fetch iconv`.split(/\s+/),
)

/** Returns the words of two lower-case letters or more that are no names. @param known further names */
export function latinWords(text: string, known: readonly string[] = []): string[] {
  const words = text
    // Products, options, placeholders, variables, paths with an extension, addresses, and keys of settings.
    .replaceAll(/Google Keep|--?[a-z][\w-]*|<[^>]*>|\[[a-z ]+\]|\$\w+|https?:\S+|`[^`]*`|"[^"]*"/g, ' ')
    .replaceAll(/[\w./~-]*(?:\/|\.[a-z]+\b)[\w./~…-]*|\b[a-z]+_\w+/g, ' ')
    .match(/\b[A-Za-z]*[a-z]{2,}[A-Za-z]*\b/g)
  return (words ?? []).filter((word) => !names.has(word) && !known.includes(word))
}
