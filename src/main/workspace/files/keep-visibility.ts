/**
 * What the settings keep on this machine is kept wherever it goes (M64): rules that name it follow it, and a note that goes
 * out of what they name says so itself from then on.
 */
import { movedPath, type Move } from '#shared/markdown/links/rewrite-links.ts'
import { withVisibility } from '#shared/markdown/visibility-edit.ts'
import { visibilityOf } from '#shared/markdown/visibility.ts'
import type { TextFile } from './text-files.ts'
import type { MovedText } from '../moves/multi-file-transaction.ts'

/** What the settings keep here, by paths. */
export interface LocalRules {
  covers(path: string): boolean
  /** Whether they will, once it is moved and they have followed. */
  coversMoved(move: Move, isFolder: boolean, path: string): boolean
  /** Has them name both places. @returns what leaves only the one where it lies then */
  follow(move: Move, isFolder: boolean): Promise<(isMoved: boolean) => Promise<void>>
}

/** A text that is written with a move, and what it was. */
export interface KeptText extends MovedText {
  readonly before: string
}

/**
 * Notes that have to say by themselves that they stay here.
 * @param paths of what moves
 * @param texts that are written with it
 * @returns those texts, and the others; `before` of what is added
 */
export async function keptWith(
  rules: LocalRules,
  { move, isFolder, paths }: { readonly move: Move; readonly isFolder: boolean; readonly paths: readonly string[] },
  texts: readonly MovedText[],
  read: (path: string) => Promise<TextFile | undefined>,
): Promise<{ readonly texts: readonly MovedText[]; readonly added: readonly KeptText[] }> {
  const written = new Map(texts.map((one) => [one.path, one]))
  const added: KeptText[] = []
  for (const path of paths) {
    const newPath = movedPath(path, [move])
    if (!rules.covers(path) || rules.coversMoved(move, isFolder, newPath)) continue
    const file = await read(path)
    if (!file) continue
    const known = written.get(path)
    const text = known?.after ?? file.text
    if (visibilityOf(text).isWhole) continue
    const one = { path, newPath, hash: known?.hash ?? file.hash, after: withVisibility(text, true) }
    written.set(path, one)
    added.push({ ...one, before: file.text })
  }
  return { texts: [...written.values()], added }
}
