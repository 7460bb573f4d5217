export { createOfflineModel } from './offline.ts'
export { languageOfLocale, replyLanguage, type Language } from './language.ts'
export { sentencesIn } from './sentences/index.ts'
export type { Sentences } from './sentences/sentences.ts'
