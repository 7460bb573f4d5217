/**
 * The gate that every text for a remote embedding passes (M64): what holds anything of a local note is not sent. Such
 * passages have no vector and are found by words; such questions are answered by words.
 */
import { hasLocalMark } from '#shared/markdown/visibility.ts'
import type { EmbeddingProvider } from '../embeddings/embedding-provider.ts'
import type { LocalNotes } from '#workspace/privacy'
import type { PassageToEmbed } from '../indexing/passage-store.ts'
import type { IndexStore } from '../indexing/index-store.ts'

/** The same provider; of texts that stay here nothing comes back. */
export function guardedEmbeddings(provider: EmbeddingProvider, notes: LocalNotes): EmbeddingProvider {
  const held = async (texts: readonly string[]) => {
    const { net } = await notes.look()
    return texts.map((text) => net.contains(text))
  }
  return {
    ...provider,
    get dimensions() {
      return provider.dimensions
    },
    async isPrivate(text) {
      return (await held([text]))[0] === true
    },
    async embed(texts, signal) {
      const isHeld = await held(texts)
      const sent = texts.filter((_, at) => !isHeld[at])
      const vectors = sent.length === 0 ? [] : await provider.embed(sent, signal)
      return isHeld.map((one) => (one ? undefined : vectors.shift()))
    },
  }
}

/** Which passages stay here: those of local lines, wherever else they stand, and those with words of such. @returns their hashes */
export async function heldPassages(
  store: IndexStore,
  notes: LocalNotes,
  passages: readonly PassageToEmbed[],
): Promise<ReadonlySet<string>> {
  const sight = await notes.look()
  const isOfLocal = ({ id, text }: PassageToEmbed) => {
    if (sight.net.contains(text)) return true
    return (store.passages?.placesOf(id) ?? []).some(({ path, from, to, lines }) => {
      if (lines.some(hasLocalMark)) return true
      const note = sight.notes.get(path)
      if (!note || note.isFullyLocal) return note !== undefined
      for (let line = from; line <= to; line += 1) if (note.localLines.has(line - 1)) return true
      return false
    })
  }
  return new Set(passages.filter(isOfLocal).map(({ hash }) => hash))
}
