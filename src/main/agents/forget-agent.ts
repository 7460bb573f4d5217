/** Forgetting in one agent: what is looked through, and what is about the same in other words. */
import { isSentTexts } from '../../shared/providers.ts'
import { otherGit, Phrase, scan, type ForgetFolders } from '../forget/index.ts'
import type { Agent } from './agent.ts'

/** Lines of what search finds that are offered. */
const maxNear = 12
/** Offered, not done: what is only a little about it is worth a look. */
const leastNear = 0.1

/** Where something stands in all that is kept of an agent. @throws AppError `input_invalid` */
export async function findToForget(
  agent: Agent,
  folders: ForgetFolders,
  { words, lines }: { readonly words: string; readonly lines: readonly string[] },
  signal: AbortSignal | undefined,
) {
  const phrase = new Phrase([words, ...lines])
  const places = await scan(folders, phrase, signal)
  // What is to be forgotten is told to nobody.
  const { results } = await agent.memory.search(words, { maxResults: maxNear, minScore: leastNear, staysHere: true })
  const near = results
    .filter(({ source }) => source === 'memory')
    .flatMap(({ path, snippet, snippetLine, startLine, matched }) => {
      const lines = snippet.split('\n')
      // Of several, those that have to do with it.
      const isAbout = (text: string) =>
        lines.length === 1 || matched.some((word) => text.toLowerCase().includes(word.toLowerCase()))
      return lines
        .map((text, at) => ({ path, line: (snippetLine ?? startLine) + at, text: text.trim() }))
        .filter(({ text }) => isAbout(text))
    })
    .filter(({ text }) => canBeNamed(text) && !phrase.isIn(text))
  const known = new Map(near.map((one) => [one.text, one]))
  const git = (await otherGit(folders.workspace)) ?? null
  const { provider, model } = await agent.memory.status()
  const embedding = isSentTexts(provider) ? `${provider}/${model}` : undefined
  return { places, near: [...known.values()].slice(0, maxNear), git, embedding }
}

/** Long enough to be told from other lines, and no heading. */
function canBeNamed(text: string): boolean {
  return text.length >= 12 && !/^(?:#|---|\||```)/.test(text)
}
