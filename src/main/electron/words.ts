/** What the shell itself says, outside of any window, in the system's language. */
import { app } from 'electron'

interface Words {
  readonly capture: string
  readonly open: string
  readonly pause: string
  readonly quit: string
  readonly shortcutTaken: (keys: string) => string
}

const words: Record<'en' | 'zh-CN' | 'zh-TW', Words> = {
  en: {
    capture: 'Quick capture',
    open: 'Open Commonplace',
    pause: 'Pause the shortcut',
    quit: 'Quit',
    shortcutTaken: (keys) => `${keys} belongs to another program. Choose other keys: capture.shortcut in config.yaml.`,
  },
  'zh-CN': {
    capture: '快速记录',
    open: '打开 Commonplace',
    pause: '暂停快捷键',
    quit: '退出',
    shortcutTaken: (keys) => `${keys} 已被其他程序占用。请在 config.yaml 的 capture.shortcut 中换一组按键。`,
  },
  'zh-TW': {
    capture: '快速記錄',
    open: '開啟 Commonplace',
    pause: '暫停快速鍵',
    quit: '結束',
    shortcutTaken: (keys) => `${keys} 已被其他程式佔用。請在 config.yaml 的 capture.shortcut 中換一組按鍵。`,
  },
}

export function systemWords(): Words {
  const system = app.getLocale()
  if (/^zh-(TW|HK|MO|Hant)/i.test(system)) return words['zh-TW']
  return words[system.startsWith('zh') ? 'zh-CN' : 'en']
}
