/** What the offline model does when it is asked to keep or to summarise: it extracts, and says nothing of its own. Pure. */
import { messageText, type Message } from '../../shared/messages.ts'
import type { Purpose } from './purpose.ts'

/** Statements of the user that a flush writes down at most. */
const maxNotes = 20

/** What the user stated, as notes; undefined when there is nothing to keep. */
export function notesOf(messages: readonly Message[], strip: (text: string) => string): string | undefined {
  const statements = new Set<string>()
  for (const message of messages) {
    if (message.role !== 'user') continue
    for (const line of spokenLines(strip(messageText(message)))) {
      if (line.length > 12 && !/[?？]\s*$/.test(line)) statements.add(line)
    }
  }
  const notes = [...statements].slice(-maxNotes)
  return notes.length > 0 ? notes.map((note) => `- ${note}`).join('\n') : undefined
}

/** A message is its lines; a part of a rendered conversation is what its user said. */
function spokenLines(text: string): string[] {
  const isRendered = text.includes('<conversation>')
  return text
    .split('\n')
    .filter((line) => !isRendered || line.startsWith('User: '))
    .map((line) =>
      line
        .replace(/^User: /, '')
        .replace(/^\[\w{3} [\d-]+ [\d:]+\] /, '')
        .trim(),
    )
}

/** Headings of the kind that a summary has, filled with the lines that speak to them. */
export function extractSummary({ conversation, earlier, missing }: Extract<Purpose, { kind: 'summary' }>): string {
  if (missing.length > 0)
    return `${conversation}\n\n## Also spoken of\n${missing.map((name) => `- ${name}`).join('\n')}`
  const said = conversation.split('\n').filter((line) => /^(User|Assistant): /.test(line))
  const statements = said
    .filter((line) => line.startsWith('User: ') && !/[?？]\s*$/.test(line))
    .map((line) => line.slice(6))
  const questions = said
    .filter((line) => line.startsWith('User: ') && /[?？]\s*$/.test(line))
    .map((line) => line.slice(6))
  const decisions = statements.filter((line) =>
    /\b(decid|chose|choose|agreed|will use)|决定|选择|選擇|決定/i.test(line),
  )
  const paths = new Set([...conversation.matchAll(/[\w./-]+\.(?:md|ts|js|json|yaml)\b/g)].map(([path]) => path))
  const section = (title: string, lines: readonly string[]) =>
    `## ${title}\n${lines.length > 0 ? lines.map((line) => `- ${line}`).join('\n') : '- none'}`
  return [
    earlier ?? '',
    section('Goal', questions.slice(0, 1)),
    section('Decisions', decisions),
    section('Facts and identifiers', statements),
    section('Open questions', questions.slice(-3)),
    section('Files touched', [...paths].slice(0, 20)),
  ]
    .filter(Boolean)
    .join('\n\n')
}

/** The longest words of what the user said, as a name. */
export function extractTopic(said: readonly string[]): string {
  const words = [
    ...new Set(
      said
        .join(' ')
        .toLowerCase()
        .match(/[a-z]{4,}/g) ?? [],
    ),
  ].sort((one, other) => other.length - one.length)
  return words.slice(0, 3).join('-')
}
