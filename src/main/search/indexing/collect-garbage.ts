import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Gives the memory of a finished job back, which V8 keeps in a thread that allocates no more. Takes 50 to 100 ms. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect === 'function') collect()
}
