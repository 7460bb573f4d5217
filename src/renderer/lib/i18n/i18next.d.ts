/** The keys of the strings, so that a wrong one does not compile. */
import 'i18next'
import type en from './en.json'

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof en }
    returnNull: false
  }
}
