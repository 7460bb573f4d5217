const assistant = /^(?:assistant|ai|bot|chatgpt|claude|gemini|copilot|助手|助理)$/i
const user = /^(?:user|human|me|you|用户|我|你)$/i

export function isAssistant(label: string): boolean {
  return assistant.test(label)
}

export function isUser(label: string): boolean {
  return user.test(label)
}

/** Returns true for labels that are roles. A query with the word `user` does not name a speaker. */
export function isRole(label: string): boolean {
  return assistant.test(label) || user.test(label)
}
