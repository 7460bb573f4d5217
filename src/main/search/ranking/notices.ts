/** Why vectors take no part in a search, or only some do. Pure. */
import type { Script, SearchResponse } from '#shared/contract/index.ts'
import type { ScriptCalibration } from './calibrated.ts'

export type Notice = SearchResponse['notice']

/** @param count chunks without vectors */
export function incompleteNotice(count: number): Notice {
  return { code: 'vectors_incomplete', message: `${count} chunks have no vector yet`, count }
}

/** @param count chunks that stay on this machine */
export function localNotice(count: number): Notice {
  return { code: 'vectors_local', message: `${count} chunks stay on this machine: words alone find them`, count }
}

/**
 * Why a question whose vector is there is answered by words alone.
 * @param calibration what is known of its script
 * @param isMeasured whether anything is known, or known not to be there
 */
export function silenceOf(calibration: ScriptCalibration | undefined, isMeasured: boolean): Notice {
  if (!isMeasured) return { code: 'vectors_measuring', message: 'what similarity means here is being measured' }
  if (!calibration) return { code: 'vectors_few', message: 'too few passages to learn what similarity means here' }
  return weakNotice(calibration.script)
}

/** The model does not know what the question is written in. */
export function weakNotice(script: Script): Notice {
  return { code: 'vectors_weak', message: `the model does not tell ${nameOfScript[script]} texts apart`, script }
}

const nameOfScript = { latin: 'Latin', cjk: 'Chinese, Japanese or Korean', other: 'such' } as const
