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
  notes: 'Mod+2',
  searchView: 'Mod+3',
  inspect: 'Mod+4',
  suggestions: 'Mod+5',
} as const
