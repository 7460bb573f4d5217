/** The offline model's English. */
import { dayIn, weekdayIn } from './day-heading.ts'
import type { Sentences } from './sentences.ts'

const inAll = (files: number) => (files === 1 ? '1 file' : `${files} files`)

export const english: Sentences = {
  greeting:
    'Hello! I keep and find what you tell me. Say “remember …” to note something, or ask me about what is in your memory.',
  thanks: 'You’re welcome.',
  assent: 'All right.',
  heard:
    'I have not noted that: no language model is connected, and I only note what I am asked to. Say “remember that …”, and I write it into today’s log at once.',
  toldBeside: (statement) =>
    `I have not noted what you told me beside that (“${statement}”). Say “remember that …”, and I write it into today’s log.`,
  help: 'No language model is connected, so I do two things: “remember …” writes a note to today’s log, and any question (who, what, when) searches your memory and quotes what I find, with its source. “What did I do last week?”, “summarise today” and “list files” work too. Connect a model in the settings for real conversation.',
  nothingToRemember:
    'What should I remember? Write it after the word, as in “remember that the review is on Thursday”.',
  remembered: (path) => `Noted in today’s log [${path}].`,
  nothingIn: (span) => `Nothing has been noted for ${span}.`,
  periodHas: (span) => `Noted for ${span}:`,
  more: (count) => `And ${count} more.`,
  filesAre: 'These files are in your memory:',
  noFiles: 'There are no files in your memory yet.',
  needsModel:
    'That takes a language model, and none is connected: I can only note things and quote from your notes. Choose a model below the message field, or set one up in the settings.',
  clock: (isToday, day, time) =>
    isToday ? `It is ${dayIn('en', day)}, ${time}.` : `${day} is a ${weekdayIn('en', day)}.`,
  cannotChange: 'I cannot delete or change what is written: no language model is connected, and I only add notes.',
  changeThere: 'This is what I found about it. Open the place, and edit or delete the line there yourself:',
  changeLast: 'This is the last note of this conversation. Open the place, and edit or delete the line there yourself:',
  changeInLog: (path) => `Open today’s log and edit or delete the line there yourself: [${path}].`,
  nothingToChange:
    'I found nothing about it in your memory either. Name a word that stands in the line, or look for it under Memory.',
  notKept:
    'I keep no note of that. It stays in this conversation until you delete it: right-click the conversation in the list, or delete the message.',
  counted: (notes, files) =>
    `There ${notes === 1 ? 'is 1 note' : `are ${notes} notes`} in your memory; it has ${inAll(files)} in all:`,
  countedFiles: (files) => `There ${files === 1 ? 'is' : 'are'} ${inAll(files)} in your memory:`,
  digest: 'Summing up takes a language model, and none is connected. This is what was noted, the latest last:',
  noNotes: 'Nothing has been noted in your memory yet.',
  aboutYou: 'Your memory says this about you and what you decided:',
  nothingAboutYou: 'Nothing is written about you yet. Say “remember that …”, or fill in [USER.md].',
  found: 'Your memory says:',
  foundClosest: 'Nothing fits well; this comes closest:',
  saidEarlier: 'Your notes say nothing about it, but you said in an earlier conversation:',
  whenWritten: 'The note names the time itself:',
  whenNoted: (dates) => `The note names no date; it was written on ${dates}:`,
  notedOn: (date) => `noted on ${date}`,
  nothingFound: (query) =>
    `I found nothing in your memory about “${query}”. No language model is connected, so I can only quote what is written there.`,
  noModel: '*No language model is connected: these are quotes from your notes, not an answer of mine.*',
  toolFailed: (reason) => `That did not work: ${reason}`,
  withoutMemory:
    'This chat is held without memory: I look nothing up in your notes and keep nothing of what is said. Without a language model, answers from memory are all that I can give; ask in another chat, or keep this one after all.',
  unwritable:
    'I could not note that: it has an invisible control character (NUL), which no text file can hold. Your message is still here: edit it, delete that character, and send it again.',
  kept: 'Kept from a conversation',
  ending: (path) => `The end of a conversation (${path}).`,
  user: 'User',
  assistant: 'Assistant',
  summary: {
    goal: 'Goal',
    decisions: 'Decisions',
    facts: 'Facts and identifiers',
    open: 'Open questions',
    files: 'Files touched',
    none: 'none',
    alsoSpokenOf: 'Also spoken of',
  },
}
