/** Types the keys of `t()`, so that an unknown key does not compile. */
import 'i18next'
import type host from './host/en.json'
import type en from './en.json'

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof en; host: typeof host }
    returnNull: false
  }
}
