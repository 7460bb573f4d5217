import { app } from 'electron'

const english = {
  addToDictionary: 'Add to dictionary',
  answerReady: 'An answer is ready.',
  answerFailed: 'An answer could not be completed.',
  pageCrashed: (reference: string) =>
    `The window stopped and was reloaded. Nothing is lost (log reference ${reference}).`,
  pageCrashedAgain: (reference: string) => `The window stopped again (log reference ${reference}).`,
  pageHangs: 'The window is not responding.',
  reload: 'Reload',
  wait: 'Wait',
  closeQuestion: 'Keep Commonplace running?',
  closeDetail:
    'In the tray, Commonplace finishes answers and you can use the quick capture shortcut. You can change this in the settings (desktop.closeTo).',
  stayInTray: 'Keep in tray',
  settings: 'Settings…',
  newChat: 'New chat',
  search: 'Search memory',
  context: 'Context',
  capture: 'Quick capture',
  open: 'Open Commonplace',
  pause: 'Pause shortcut',
  quit: 'Quit',
  shortcutTaken: (keys: string) => `Another program uses ${keys}. Choose other keys: capture.shortcut in config.yaml.`,
}

const textsByLocale: Record<'en' | 'zh-CN' | 'zh-TW', typeof english> = {
  en: english,
  'zh-CN': {
    addToDictionary: '添加到词典',
    answerReady: '回答已完成。',
    answerFailed: '回答未能完成。',
    pageCrashed: (reference) => `窗口曾停止工作，已重新加载，没有任何丢失（日志编号 ${reference}）。`,
    pageCrashedAgain: (reference) => `窗口再次停止工作（日志编号 ${reference}）。`,
    pageHangs: '窗口没有响应。',
    reload: '重新加载',
    wait: '等待',
    closeQuestion: '让 Commonplace 继续运行吗？',
    closeDetail: '留在托盘中可继续回答，并可用快捷键记录。可在设置中更改（desktop.closeTo）。',
    stayInTray: '留在托盘',
    settings: '设置……',
    newChat: '新对话',
    search: '搜索记忆',
    context: '上下文',
    capture: '快速记录',
    open: '打开 Commonplace',
    pause: '暂停快捷键',
    quit: '退出',
    shortcutTaken: (keys) => `${keys} 已被其他程序占用。请在 config.yaml 的 capture.shortcut 中换一组按键。`,
  },
  'zh-TW': {
    addToDictionary: '加入字典',
    answerReady: '回答已完成。',
    answerFailed: '回答未能完成。',
    pageCrashed: (reference) => `視窗曾停止運作，已重新載入，沒有任何遺失（日誌編號 ${reference}）。`,
    pageCrashedAgain: (reference) => `視窗再次停止運作（日誌編號 ${reference}）。`,
    pageHangs: '視窗沒有回應。',
    reload: '重新載入',
    wait: '等待',
    closeQuestion: '讓 Commonplace 繼續執行嗎？',
    closeDetail: '留在系統匣中可繼續回答，並可用快速鍵記錄。可在設定中變更（desktop.closeTo）。',
    stayInTray: '留在系統匣',
    settings: '設定……',
    newChat: '新對話',
    search: '搜尋記憶',
    context: '脈絡',
    capture: '快速記錄',
    open: '開啟 Commonplace',
    pause: '暫停快速鍵',
    quit: '結束',
    shortcutTaken: (keys) => `${keys} 已被其他程式佔用。請在 config.yaml 的 capture.shortcut 中換一組按鍵。`,
  },
}

export function systemTexts(): typeof english {
  const locale = app.getLocale()
  if (/^zh-(TW|HK|MO|Hant)/i.test(locale)) return textsByLocale['zh-TW']
  return textsByLocale[locale.startsWith('zh') ? 'zh-CN' : 'en']
}
