export { type ForgetRequest } from './forget.ts'
export { forgetInThread, resumeInThread, scanInThread } from './in-thread.ts'
export { assertNamable, Phrase } from './phrase.ts'
export { otherGit, type ForgetFolders } from './stores.ts'
