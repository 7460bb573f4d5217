export { forget, resumeForgetting, type ForgetRequest } from './forget.ts'
export { assertNamable, Phrase } from './phrase.ts'
export { scan } from './scan.ts'
export { otherGit, type ForgetFolders } from './stores.ts'
