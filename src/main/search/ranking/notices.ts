import type { Script, SearchResponse } from '#shared/contract/index.ts'

export type Notice = SearchResponse['notice']

/** @param count units without vectors */
export function incompleteNotice(count: number): Notice {
  return { code: 'vectors_incomplete', message: `${count} entries have no vector yet`, count }
}

/** @param count units that are not sent to the embedding provider */
export function privateNotice(count: number): Notice {
  return {
    code: 'vectors_private',
    message: `${count} private entries have no vector: only their words are searched`,
    count,
  }
}

/** For a query in a script that the model does not know. */
export function unknownScriptNotice(query: string): Notice {
  const script = scriptOf(query)
  return { code: 'vectors_weak', message: `the model does not know ${scriptNames[script]}`, script }
}

const scriptNames = { latin: 'this language', cjk: 'Japanese or Korean', other: 'this script' } as const

function scriptOf(text: string): Script {
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(text)) return 'cjk'
  return /\p{Script=Latin}/u.test(text) ? 'latin' : 'other'
}
