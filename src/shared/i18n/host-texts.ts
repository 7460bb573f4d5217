import type { Locale } from '../contract/index.ts'
import en from './host/en.json' with { type: 'json' }
import simplified from './host/zh-CN.json' with { type: 'json' }
import traditional from './host/zh-TW.json' with { type: 'json' }

/** Texts of the terminal, the desktop's menus and dialogs, the sign-in page, and the offline model. `{{…}}` are values. */
export const hostTexts: Readonly<Record<Locale, typeof en>> = { en, 'zh-CN': simplified, 'zh-TW': traditional }
