/**
 * How much of anything is taken from outside, with the reason for each number. What is longer is refused with a sentence
 * where it comes in, so that nothing behind has to expect it. Lengths of texts are in characters (UTF-16 units).
 */

const thousand = 1000
const million = 1_000_000

/** A patch that is to be taken back; longer ones name their texts instead (shared/large-change.ts). */
export const mostPatch = 10 * million
/** A note: some forty pages. What is longer is a file, and can be imported as one. */
export const mostNote = 100 * thousand
/** A message of the user, or the text of one attached file: more than any model's window holds. */
export const mostMessage = million
/** A picture in base64: 20 MB, twice what any provider takes. */
export const mostPicture = 28 * million
export const mostAttachments = 20
/** A question to the search: some pages; nobody types more, and every word of it is looked up. */
export const mostQuery = 10 * thousand
/** What is looked for letter by letter, or the name of a heading, a model, a tool. */
export const mostPhrase = thousand
export const mostTitle = 200
export const mostName = 255
/** What replaces a phrase. */
export const mostReplacement = 10 * thousand
/** Ids are ours or a provider's; theirs are below a hundred characters. */
export const mostId = 200
/** The longest path that Linux takes. */
export const mostPath = 4096
/** Files named in one request: more than a memory has that is still read. */
export const mostPaths = 100 * thousand
/** The configuration is written by hand. */
export const mostSettings = million
/** A file of checks: thousands of questions. */
export const mostChecks = 10 * million

/** Text and thoughts of one answer: ten times the longest that any model gives. */
export const mostAnswer = 4 * million
/** Arguments of one tool call, as JSON: a long file, whole. */
export const mostArguments = 4 * million
/** What of arguments that are no JSON is kept, to be shown to the model. */
export const mostBrokenArguments = 10 * thousand
/** Tool calls of one answer; models make one to ten. */
export const mostToolCalls = 128
/** Stretches of text and thought in one answer, in turns. */
export const mostParts = 2000
/** Models of one provider; the largest router lists some hundreds. */
export const mostModels = 5000
/** Tools of one server, and pages of them. Every request carries all of them. */
export const mostTools = 500
export const mostToolPages = 50
export const mostToolDescription = 10 * thousand

const kibi = 1024
const mebi = 1024 * kibi

/** One event of a stream: the arguments of a call in one piece, and room. */
export const mostEventBytes = 8 * mebi
/** One answer as it comes over the wire: each token is an event of some 200 bytes. */
export const mostStreamBytes = 64 * mebi
/** A list of models. */
export const mostListBytes = 8 * mebi
/** Vectors of one batch: 2,048 of 3,072 numbers would be 80 MB, and no provider takes such a batch. */
export const mostVectorBytes = 64 * mebi
/** What a provider says of a failure; the sentence is in the first lines. */
export const mostErrorBytes = 64 * kibi
/** One message of a tool server: pictures of some megabytes. The official client has the same bound for programs. */
export const mostToolMessageBytes = 10 * mebi
