/** What the user is told of work: failures in words, in a toast or in place of a view, and what was done, with the way back. */
export { ErrorState } from './error-state.tsx'
export { explainCode, explainError, explainFault, explainSetup, isErrorOf } from './explain.ts'
export { createMutationCache } from './mutation-cache.ts'
export { attempt, forgetTold, refusalOf, tellDone, tellFailure, tellPartly, tellUntilSeen } from './tell.ts'
export { tellUncaught } from './uncaught.ts'
