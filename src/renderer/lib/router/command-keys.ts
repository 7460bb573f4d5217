/** Default shortcuts of the app's commands. The configuration can override them. */
export const commandKeys = {
  palette: 'Mod+K',
  goToFile: 'Mod+P',
  search: 'Mod+Shift+F',
  findInFiles: 'Mod+Shift+H',
  newChat: 'Mod+N',
  sidebar: 'Mod+B',
  stop: 'Mod+.',
  capture: 'Mod+Shift+Space',
  settings: 'Mod+,',
  chat: 'Mod+1',
  searchView: 'Mod+3',
  context: 'Mod+4',
} as const
