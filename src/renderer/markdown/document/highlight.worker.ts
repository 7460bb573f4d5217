import { createHighlighterCore, type HighlighterCore, type LanguageRegistration } from 'shiki/core'
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript'

export interface HighlightRequest {
  readonly code: string
  readonly language: string
}

/** Null if the code stays plain: no grammar, too many tokens, an error in the grammar or a missed deadline. */
export type HighlightedLines = readonly (readonly { text: string; color: string | undefined }[])[] | null

const grammars = import.meta.glob<LanguageRegistration[]>(
  [
    './{bash,diff,docker,dockerfile,make,makefile,powershell,ps1,sh,shell,shellscript,zsh}.mjs',
    './{c,cpp,cs,csharp,go,java,kotlin,kt,rs,rust,scala,swift}.mjs',
    './{css,gql,graphql,html,javascript,js,jsx,latex,markdown,md,tex,ts,tsx,typescript}.mjs',
    './{ini,json,jsonc,sql,toml,xml,yaml,yml}.mjs',
    './{lua,php,py,python,r,rb,ruby}.mjs',
  ],
  { base: '/../../node_modules/shiki/dist/langs', import: 'default' },
)

/** Aliases that Shiki has no file for. */
const aliases: Record<string, string> = { 'c++': 'cpp', 'c#': 'csharp', svg: 'xml' }

let highlighterPromise: Promise<HighlighterCore> | undefined

const maxTokens = 8000

async function highlight({ code, language }: HighlightRequest): Promise<HighlightedLines> {
  const name = aliases[language] ?? language
  const load = grammars[`./${name}.mjs`]
  if (!load) return null
  highlighterPromise ??= createHighlighterCore({
    themes: [
      import('shiki/themes/github-light-high-contrast.mjs'),
      import('shiki/themes/github-dark-high-contrast.mjs'),
    ],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  })
  const highlighter = await highlighterPromise
  if (!highlighter.getLoadedLanguages().includes(name)) await highlighter.loadLanguage(await load())
  const { tokens } = highlighter.codeToTokens(code, {
    lang: name,
    themes: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    defaultColor: 'light-dark()',
  })
  if (tokens.reduce((sum, line) => sum + line.length, 0) > maxTokens) return null
  return tokens.map((line) => line.map(({ content, htmlStyle }) => ({ text: content, color: htmlStyle?.['color'] })))
}

addEventListener('message', ({ data: { id, ...request } }: MessageEvent<HighlightRequest & { id: number }>) => {
  void highlight(request)
    .catch(() => null)
    .then((answer) => postMessage({ id, answer }))
})
