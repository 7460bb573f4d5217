/** The tasks of a new user, from the first start. They share one app: later tasks use the results of earlier ones. */
import type { Step, Task } from './step.ts'

const boiler = {
  en: 'Remember that the boiler code is 7781',
  'zh-CN': '记住锅炉编号是7781',
  'zh-TW': '記住鍋爐編號是7781',
} as const
const asksBoiler = { en: 'What is the boiler code?', 'zh-CN': '锅炉编号是多少？', 'zh-TW': '鍋爐編號是多少？' } as const
const boilerWords = { en: 'boiler code', 'zh-CN': '锅炉编号', 'zh-TW': '鍋爐編號' } as const
const tea = { en: 'Remember that I like green tea', 'zh-CN': '记住我喜欢喝绿茶', 'zh-TW': '記住我喜歡喝綠茶' } as const
const noteName = { en: 'piano', 'zh-CN': '钢琴', 'zh-TW': '鋼琴' } as const
const notePath = { en: 'memory/piano.md', 'zh-CN': 'memory/钢琴.md', 'zh-TW': 'memory/鋼琴.md' } as const
const movedPath = {
  en: 'memory/music/piano.md',
  'zh-CN': 'memory/music/钢琴.md',
  'zh-TW': 'memory/music/鋼琴.md',
} as const
const chatName = { en: 'The boiler', 'zh-CN': '锅炉', 'zh-TW': '鍋爐' } as const

const say = (text: typeof boiler | typeof asksBoiler | typeof tea): Step[] => [
  { do: 'fill', role: 'textbox', name: 'chat.composer', text },
  { do: 'keys', keys: 'Enter' },
]
const newChat: Step = { do: 'go', role: 'link', name: 'nav.newChat' }
/** Runs an option of the command palette. */
const palette = (
  typed: Extract<Step, { do: 'type' }>['text'],
  name: Extract<Step, { do: 'press' }>['name'],
): Step[] => [
  { do: 'keys', keys: 'Control+k' },
  { do: 'type', text: typed },
  { do: 'press', role: 'option', name },
]

export const tasks: readonly Task[] = [
  {
    want: 'start with the suggested folder, without an account',
    steps: [
      { do: 'press', role: 'button', name: 'onboarding.start' },
      { do: 'see', id: 'start' },
    ],
  },
  {
    want: 'dismiss the first hints',
    steps: [
      { do: 'press', role: 'button', name: 'tour.next', in: 'tour' },
      { do: 'press', role: 'button', name: 'tour.skip', in: 'tour' },
      { do: 'gone', id: 'tour' },
      // Closes the sidebar of a narrow window.
      { do: 'keys', keys: 'Escape' },
    ],
  },
  {
    want: 'save a fact',
    byKeyboard: true,
    steps: [...say(boiler), { do: 'see', id: 'diff-card' }, { do: 'see', id: 'answer' }],
  },
  {
    want: 'ask for the fact',
    byKeyboard: true,
    steps: [
      newChat,
      ...say(asksBoiler),
      { do: 'see', id: 'sources' },
      { do: 'see', name: { text: '7781' }, in: 'answer' },
    ],
  },
  {
    want: 'see the sources of an answer',
    byKeyboard: true,
    steps: [
      { do: 'press', role: 'button', name: { key: 'chat.fromMemories', with: { count: 1 } } },
      { do: 'see', id: 'result' },
    ],
  },
  {
    want: 'see why a source was found',
    steps: [
      { do: 'press', role: 'link', name: 'result.why', in: 'result' },
      { do: 'see', id: 'why' },
    ],
  },
  {
    want: 'flag a line as outdated and have it removed',
    steps: [
      newChat,
      ...say(asksBoiler),
      { do: 'press', role: 'button', name: { key: 'chat.fromMemories', with: { count: 1 } } },
      { do: 'press', role: 'button', name: 'result.outdated', in: 'result' },
      { do: 'press', role: 'button', name: 'history.accept', in: 'proposal-view' },
      { do: 'see', name: { key: 'suggestions.accepted', with: { count: 1 } } },
    ],
  },
  {
    want: 'undo a change by the agent',
    byKeyboard: true,
    steps: [
      newChat,
      ...say(tea),
      { do: 'see', id: 'diff-card' },
      { do: 'press', role: 'button', name: 'common.undo', in: 'diff-card' },
      { do: 'see', name: 'tool.undoneShort', in: 'diff-card' },
    ],
  },
  {
    want: 'search instead of asking',
    steps: [
      newChat,
      { do: 'fill', role: 'textbox', name: 'chat.composer', text: boilerWords },
      { do: 'press', role: 'button', name: 'chat.searchInstead' },
      { do: 'see', id: 'result' },
    ],
  },
  {
    want: 'see how a result was scored and save it as a check',
    steps: [
      { do: 'keys', keys: 'Tab' },
      { do: 'press', role: 'link', name: 'search.figures' },
      { do: 'see', id: 'candidate' },
      { do: 'press', role: 'button', name: { text: '' }, in: 'candidate' },
      { do: 'see', id: 'candidate-details' },
      { do: 'press', role: 'button', name: 'savedSearches.add' },
      { do: 'see', name: 'savedSearches.added' },
    ],
  },
  {
    want: 'run the check',
    byKeyboard: true,
    steps: [
      ...palette(
        { en: 'checks', 'zh-CN': 'jiansuoceshi', 'zh-TW': 'jiansuoceshi' },
        { text: { en: 'Inspect: Tested', 'zh-CN': '运行细节：检索测试', 'zh-TW': '執行細節：檢索測試' } },
      ),
      { do: 'see', id: 'check' },
      { do: 'gone', name: 'savedSearches.gone' },
    ],
  },
  {
    want: 'try out another threshold without saving it',
    steps: [
      { do: 'go', role: 'link', name: 'inspect.title' },
      { do: 'press', role: 'link', name: 'inspect.found' },
      { do: 'fill', role: 'textbox', name: 'inspect.question', text: boilerWords },
      { do: 'see', id: 'candidate' },
      { do: 'press', role: 'button', name: 'whatIf.title' },
      { do: 'press', role: 'radio', name: 'whatIf.classic' },
      { do: 'fill', role: 'slider', name: 'whatIf.threshold', text: '0.9' },
      { do: 'press', role: 'button', name: 'whatIf.reset' },
      { do: 'press', role: 'button', name: 'whatIf.close' },
    ],
  },
  {
    want: 'write a note',
    byKeyboard: true,
    steps: [
      { do: 'go', role: 'link', name: 'nav.notes' },
      { do: 'go', role: 'button', name: 'nav.newFile' },
      { do: 'type', text: noteName },
      { do: 'keys', keys: 'Enter' },
      { do: 'see', id: 'editor' },
      { do: 'see', name: { text: notePath } },
      { do: 'type', text: '# Sato' },
      { do: 'keys', keys: 'Control+s' },
      { do: 'see', name: 'file.saved' },
    ],
  },
  {
    want: 'move the note',
    steps: [
      { do: 'go', role: 'button', name: { key: 'file.menu', with: { path: notePath } } },
      { do: 'press', role: 'menuitem', name: 'file.rename' },
      { do: 'fill', role: 'textbox', name: 'file.path', text: movedPath },
      { do: 'press', role: 'button', name: 'file.move' },
      { do: 'see', name: { key: 'file.moved', with: { path: movedPath } } },
    ],
  },
  {
    want: 'see the history of a file',
    steps: [
      { do: 'press', role: 'button', name: 'file.history' },
      { do: 'see', id: 'history-entry' },
      { do: 'press', role: 'button', name: 'history.close' },
    ],
  },
  {
    want: 'preview a note',
    byKeyboard: true,
    steps: [
      { do: 'press', role: 'button', name: 'file.preview' },
      { do: 'see', id: 'preview' },
      { do: 'press', role: 'button', name: 'file.preview' },
    ],
  },
  {
    want: 'write the daily log of a past day',
    steps: [
      { do: 'go', role: 'link', name: 'nav.notes' },
      { do: 'choose', name: 'nav.month', value: '2023-05-01', aside: true },
      {
        do: 'go',
        role: 'link',
        name: { text: { en: 'May 4, 2023', 'zh-CN': '2023年5月4日', 'zh-TW': '2023年5月4日' } },
      },
      { do: 'press', role: 'button', name: 'file.createLog' },
      { do: 'see', id: 'editor' },
    ],
  },
  {
    want: 'use quick capture',
    byKeyboard: true,
    steps: [
      { do: 'keys', keys: 'Control+Shift+Space' },
      { do: 'see', id: 'capture' },
      { do: 'type', text: { en: 'Milk and bread', 'zh-CN': '买牛奶和面包', 'zh-TW': '買牛奶和麵包' } },
      { do: 'keys', keys: 'Enter' },
      { do: 'gone', id: 'capture' },
      { do: 'see', name: 'common.undo' },
    ],
  },
  {
    want: 'review and accept the agent’s changes',
    steps: [
      { do: 'go', role: 'link', name: 'nav.notes' },
      { do: 'go', role: 'link', name: 'nav.changes' },
      { do: 'see', id: 'change' },
      { do: 'press', role: 'button', name: 'history.accept' },
    ],
  },
  {
    want: 'see the content of each request',
    steps: [
      { do: 'go', role: 'link', name: 'inspect.title' },
      { do: 'see', id: 'context-total' },
      { do: 'press', role: 'button', name: { key: 'context.open', with: { name: 'MEMORY.md' } } },
      { do: 'press', role: 'button', name: 'common.close' },
    ],
  },
  {
    want: 'find the theme setting by name and change it',
    byKeyboard: true,
    steps: [
      { do: 'keys', keys: 'Control+,' },
      { do: 'fill', role: 'searchbox', name: 'settings.find', text: 'theme' },
      { do: 'choose', name: 'setting.interface_theme', value: 'dark' },
      { do: 'see', id: 'reset' },
    ],
  },
  {
    want: 'rename a chat',
    steps: [
      newChat,
      ...say(asksBoiler),
      { do: 'see', id: 'sources' },
      { do: 'press', role: 'button', name: 'chats.menu' },
      { do: 'press', role: 'menuitem', name: 'chats.rename' },
      { do: 'fill', role: 'textbox', name: 'chats.name', text: chatName },
      { do: 'press', role: 'button', name: 'file.save' },
      { do: 'see', name: { text: chatName } },
    ],
  },
  {
    want: 'find an old chat by a word in it',
    steps: [
      { do: 'go', role: 'searchbox', name: 'chats.search' },
      { do: 'type', text: '7781' },
      { do: 'go', role: 'link', name: { text: chatName } },
      { do: 'see', id: 'answer' },
    ],
  },
  {
    want: 'delete a file and restore it',
    steps: [
      { do: 'keys', keys: 'Control+p' },
      { do: 'type', text: { en: 'piano', 'zh-CN': 'gangqin', 'zh-TW': 'gangqin' } },
      { do: 'press', role: 'option', name: { text: movedPath } },
      { do: 'see', id: 'editor' },
      { do: 'go', role: 'button', name: { key: 'file.menu', with: { path: movedPath } } },
      { do: 'press', role: 'menuitem', name: 'file.delete' },
      { do: 'see', name: { key: 'file.deleted', with: { path: movedPath } } },
      { do: 'press', role: 'button', name: 'common.undo', last: true },
    ],
  },
  {
    want: 'create a second agent',
    byKeyboard: true,
    steps: [
      ...palette('agents', 'agents.title'),
      { do: 'press', role: 'button', name: 'agents.new' },
      { do: 'fill', role: 'textbox', name: 'chats.name', text: 'Work' },
      { do: 'press', role: 'button', name: 'file.createNow' },
      { do: 'see', name: { text: 'Work' } },
    ],
  },
]
