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
  context: 'Inspect',
  capture: 'Quick capture',
  open: 'Open Commonplace',
  pause: 'Pause shortcut',
  quit: 'Quit',
  saving: 'Saving…',
  shortcutTaken: (keys: string) => `Another program uses ${keys}. Choose other keys: capture.shortcut in config.yaml.`,
  outsideMemory: (file: string) => `${file} is not in an agent’s folder. You can import it in the settings.`,
}

const textsByLocale: Record<'en' | 'zh-CN' | 'zh-TW', typeof english> = {
  en: english,
  'zh-CN': {
    addToDictionary: '添加到词典',
    answerReady: '回答已完成。',
    answerFailed: '回答未能完成。',
    pageCrashed: (reference) => `窗口出错，已重新加载，没有丢失任何内容（运行日志编号 ${reference}）。`,
    pageCrashedAgain: (reference) => `窗口再次出错（运行日志编号 ${reference}）。`,
    pageHangs: '窗口没有响应。',
    reload: '重新加载',
    wait: '等待',
    closeQuestion: '要让 Commonplace 继续运行吗？',
    closeDetail:
      '留在托盘中时，Commonplace 会完成正在进行的回答，你也可以使用“快速记录”快捷键。可在设置中更改（desktop.closeTo）。',
    stayInTray: '留在托盘',
    settings: '设置…',
    newChat: '新对话',
    search: '搜索记忆',
    context: '上下文',
    capture: '快速记录',
    open: '打开 Commonplace',
    pause: '暂停快捷键',
    quit: '退出',
    saving: '正在保存…',
    shortcutTaken: (keys) => `${keys} 已被其他程序占用。请在 config.yaml 的 capture.shortcut 中换一组按键。`,
    outsideMemory: (file) => `${file} 不在智能体的文件夹中。可在设置中导入。`,
  },
  'zh-TW': {
    addToDictionary: '加入字典',
    answerReady: '回答已完成。',
    answerFailed: '無法完成回答。',
    pageCrashed: (reference) => `視窗曾停止運作，現已重新載入，沒有遺失任何內容（執行記錄編號 ${reference}）。`,
    pageCrashedAgain: (reference) => `視窗再次停止運作（執行記錄編號 ${reference}）。`,
    pageHangs: '視窗沒有回應。',
    reload: '重新載入',
    wait: '等待',
    closeQuestion: '要讓 Commonplace 繼續執行嗎？',
    closeDetail: '留在系統匣時，Commonplace 會完成回答，你也能用快速鍵快速記錄。可以在設定中變更（desktop.closeTo）。',
    stayInTray: '留在系統匣',
    settings: '設定…',
    newChat: '新對話',
    search: '搜尋記憶',
    context: '執行細節',
    capture: '快速記錄',
    open: '開啟 Commonplace',
    pause: '暫停快速鍵',
    quit: '結束',
    saving: '正在儲存…',
    shortcutTaken: (keys) => `其他程式已使用 ${keys}。請在 config.yaml 的 capture.shortcut 改用其他按鍵。`,
    outsideMemory: (file) => `${file} 不在代理的資料夾中。可在設定中匯入。`,
  },
}

export function systemTexts(): typeof english {
  const locale = app.getLocale()
  if (/^zh-(TW|HK|MO|Hant)/i.test(locale)) return textsByLocale['zh-TW']
  return textsByLocale[locale.startsWith('zh') ? 'zh-CN' : 'en']
}
