/**
 * What the settings keep on this machine is kept wherever it goes (M64): rules that name it follow it, and a note that goes
 * out of what they name says so itself from then on.
 */
import { movedPath, type Move } from '#shared/markdown/links/rewrite-links.ts'
import { withVisibility } from '#shared/markdown/visibility-edit.ts'
import { visibilityOf } from '#shared/markdown/visibility.ts'
import type { TextFile } from './text-files.ts'
import type { TextWrite } from '../transactions/settle-text.ts'

/** What the settings keep here, by paths. */
export interface LocalRules {
  covers(path: string): boolean
  /** Whether they will, once it is moved and they have followed. */
  coversMoved(move: Move, isFolder: boolean, path: string): boolean
  /** Has them name both places. @returns what leaves only the one where it lies then */
  follow(move: Move, isFolder: boolean): Promise<(isMoved: boolean) => Promise<void>>
}

/**
 * Notes that have to say by themselves that they stay here.
 * @param paths of what moves
 * @param texts that are written with it
 * @returns those texts, and the others
 */
export async function keptWith(
  rules: LocalRules,
  { move, isFolder, paths }: { readonly move: Move; readonly isFolder: boolean; readonly paths: readonly string[] },
  texts: readonly TextWrite[],
  read: (path: string) => Promise<TextFile | undefined>,
): Promise<{ readonly texts: readonly TextWrite[]; readonly added: readonly TextWrite[] }> {
  const written = new Map(texts.map((one) => [one.path, one]))
  const added: TextWrite[] = []
  for (const path of paths) {
    const newPath = movedPath(path, [move])
    if (!rules.covers(path) || rules.coversMoved(move, isFolder, newPath)) continue
    const file = await read(path)
    if (!file) continue
    const known = written.get(path)
    const text = known?.after ?? file.text
    if (visibilityOf(text).isWhole) continue
    const one = { path, newPath, before: known?.before ?? file.text, after: withVisibility(text, true) }
    written.set(path, one)
    added.push(one)
  }
  return { texts: [...written.values()], added }
}
